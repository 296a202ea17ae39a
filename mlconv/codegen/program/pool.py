"""A small thread pool as LLVM IR, needing pthreads and the C allocator only: what `mlc_parallel` is filled with when
the caller has no pool.

One word of state says which job is open and how many workers are inside, so that a worker that sleeps is never waited
for.  Waiting spins a while, then sleeps (workers) or yields (the caller).  A call from inside a task, or while another
thread's job runs, is served by the calling thread alone.
"""

from __future__ import annotations

from mlconv.codegen.machines.targets import Target

SPINS = 2000  # pauses; about 50 microseconds, enough for the gap between two kernels
_OPEN, _GENERATION = 1 << 16, 17  # state: workers inside (16 bits), open (1 bit), number of the job

# Offsets in bytes; fields that different threads write lie on cache lines of their own.
_WORKERS, _STOP, _SLEEPERS, _STATE, _NEXT, _TASK, _ARGUMENT, _COUNT, _GRAIN, _MUTEX, _CONDITION, _BUSY, _THREADS = (
    16,
    24,
    28,
    64,
    128,
    192,
    200,
    208,
    216,
    256,
    384,
    512,
    576,
)
_PAUSE = {
    "x86_64": "llvm.x86.sse2.pause()",
    "aarch64": "llvm.aarch64.hint(i32 1)",
    "arm64": "llvm.aarch64.hint(i32 1)",
    "armv7": "llvm.arm.hint(i32 1)",
}


def _field(name: str, offset: int) -> str:
    return f"  %{name} = getelementptr i8, ptr %pool, i64 {offset}"


_CHUNKS = f"""
define internal void @pool_chunks(ptr %pool) #0 {{
entry:
{_field("next", _NEXT)}
{_field("taskp", _TASK)}
{_field("argumentp", _ARGUMENT)}
{_field("countp", _COUNT)}
{_field("grainp", _GRAIN)}
  %task = load ptr, ptr %taskp
  %argument = load ptr, ptr %argumentp
  %count = load i64, ptr %countp
  %grain = load i64, ptr %grainp
  br label %take
take:
  %begin = atomicrmw add ptr %next, i64 %grain monotonic
  %more = icmp slt i64 %begin, %count
  br i1 %more, label %work, label %done
work:
  %stop = add i64 %begin, %grain
  %over = icmp sgt i64 %stop, %count
  %end = select i1 %over, i64 %count, i64 %stop
  call void %task(ptr %argument, i64 %begin, i64 %end)
  br label %take
done:
  ret void
}}"""

_WORKER = f"""
define internal ptr @pool_worker(ptr %pool) #0 {{
entry:
{_field("state", _STATE)}
{_field("stop", _STOP)}
{_field("sleepers", _SLEEPERS)}
{_field("mutex", _MUTEX)}
{_field("condition", _CONDITION)}
  br label %idle
idle:
  %seen = phi i64 [ 0, %entry ], [ %seen, %changed ], [ %number, %leave ], [ %number, %closed ], [ %seen, %awake ]
  br label %spin
spin:
  %i = phi i64 [ 0, %idle ], [ %i1, %again ]
  %s = load atomic i64, ptr %state seq_cst, align 8
  %number = lshr i64 %s, {_GENERATION}
  %new = icmp ne i64 %number, %seen
  br i1 %new, label %job, label %ask
ask:
  %halt = load atomic i32, ptr %stop seq_cst, align 4
  %halts = icmp ne i32 %halt, 0
  br i1 %halts, label %leave_thread, label %again
again:
  PAUSE
  %i1 = add i64 %i, 1
  %tired = icmp uge i64 %i1, {SPINS}
  br i1 %tired, label %sleep, label %spin
sleep:
  %l = call i32 @pthread_mutex_lock(ptr %mutex)
  %up = atomicrmw add ptr %sleepers, i32 1 seq_cst
  br label %check
check:
  %s2 = load atomic i64, ptr %state seq_cst, align 8
  %number2 = lshr i64 %s2, {_GENERATION}
  %same = icmp eq i64 %number2, %seen
  %halt2 = load atomic i32, ptr %stop seq_cst, align 4
  %goes = icmp eq i32 %halt2, 0
  %waits = and i1 %same, %goes
  br i1 %waits, label %wait, label %awake
wait:
  %w = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  br label %check
awake:
  %down = atomicrmw sub ptr %sleepers, i32 1 seq_cst
  %u = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %idle
job:
  %bit = and i64 %s, {_OPEN}
  %open = icmp ne i64 %bit, 0
  br i1 %open, label %enter, label %closed
closed:
  br label %idle
enter:
  %inside = add i64 %s, 1
  %pair = cmpxchg ptr %state, i64 %s, i64 %inside seq_cst seq_cst
  %entered = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %entered, label %work, label %changed
changed:
  br label %idle
work:
  call void @pool_chunks(ptr %pool)
  br label %leave
leave:
  %out = atomicrmw sub ptr %state, i64 1 seq_cst
  br label %idle
leave_thread:
  ret ptr null
}}"""

_RUN = f"""
define internal void @pool_run(ptr %pool, i64 %count, i64 %grain, ptr %task, ptr %argument) #0 {{
entry:
{_field("busy", _BUSY)}
{_field("state", _STATE)}
{_field("next", _NEXT)}
{_field("taskp", _TASK)}
{_field("argumentp", _ARGUMENT)}
{_field("countp", _COUNT)}
{_field("grainp", _GRAIN)}
{_field("sleepers", _SLEEPERS)}
{_field("mutex", _MUTEX)}
{_field("condition", _CONDITION)}
  %few = icmp sle i64 %count, %grain
  br i1 %few, label %alone, label %try
try:
  %pair = cmpxchg ptr %busy, i32 0, i32 1 seq_cst seq_cst
  %mine = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %mine, label %share, label %alone
alone:
  call void %task(ptr %argument, i64 0, i64 %count)
  ret void
share:
  store ptr %task, ptr %taskp
  store ptr %argument, ptr %argumentp
  store i64 %count, ptr %countp
  store i64 %grain, ptr %grainp
  store atomic i64 0, ptr %next monotonic, align 8
  %s = load atomic i64, ptr %state seq_cst, align 8
  %number = lshr i64 %s, {_GENERATION}
  %following = add i64 %number, 1
  %shifted = shl i64 %following, {_GENERATION}
  %opened = or i64 %shifted, {_OPEN}
  store atomic i64 %opened, ptr %state seq_cst, align 8
  %asleep = load atomic i32, ptr %sleepers seq_cst, align 4
  %some = icmp ne i32 %asleep, 0
  br i1 %some, label %wake, label %work
wake:
  %l = call i32 @pthread_mutex_lock(ptr %mutex)
  %b = call i32 @pthread_cond_broadcast(ptr %condition)
  %u = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %work
work:
  call void @pool_chunks(ptr %pool)
  %before = atomicrmw and ptr %state, i64 {~_OPEN} seq_cst
  br label %spin
spin:
  %i = phi i64 [ 0, %work ], [ %i1, %pause ], [ %i, %yield ]
  %now = load atomic i64, ptr %state seq_cst, align 8
  %inside = and i64 %now, {_OPEN - 1}
  %none = icmp eq i64 %inside, 0
  br i1 %none, label %done, label %more
more:
  %tired = icmp uge i64 %i, {SPINS}
  br i1 %tired, label %yield, label %pause
pause:
  PAUSE
  %i1 = add i64 %i, 1
  br label %spin
yield:
  %y = call i32 @sched_yield()
  br label %spin
done:
  store atomic i32 0, ptr %busy seq_cst, align 4
  ret void
}}"""

_CREATE = f"""
define ptr @PREFIX_pool_create(i32 %threads) #0 {{
entry:
  %positive = icmp sgt i32 %threads, 1
  %n = select i1 %positive, i32 %threads, i32 1
  %wide = zext i32 %n to i64
  %table = mul i64 %wide, 8
  %total = add i64 %table, {_THREADS}
  %size = SIZE_OF_TOTAL
  %pool = call ptr @calloc(SIZE 1, SIZE %size)
  %failed = icmp eq ptr %pool, null
  br i1 %failed, label %done, label %fill
fill:
{_field("mutex", _MUTEX)}
{_field("condition", _CONDITION)}
{_field("run", -1)}
{_field("workers", _WORKERS)}
  store ptr %pool, ptr %pool
  store ptr @pool_run, ptr %run
  %m = call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  %c = call i32 @pthread_cond_init(ptr %condition, ptr null)
  %wanted = sub i64 %wide, 1
  br label %start
start:
  %i = phi i64 [ 0, %fill ], [ %i1, %started ]
  store i64 %i, ptr %workers
  %more = icmp slt i64 %i, %wanted
  br i1 %more, label %launch, label %done
launch:
  %bytes = mul i64 %i, 8
  %offset = add i64 %bytes, {_THREADS}
  %slot = getelementptr i8, ptr %pool, i64 %offset
  %r = call i32 @pthread_create(ptr %slot, ptr null, ptr @pool_worker, ptr %pool)
  %good = icmp eq i32 %r, 0
  br i1 %good, label %started, label %done
started:
  %i1 = add i64 %i, 1
  br label %start
done:
  ret ptr %pool
}}"""

_DESTROY = f"""
define void @PREFIX_pool_destroy(ptr %pool) #0 {{
entry:
  %nothing = icmp eq ptr %pool, null
  br i1 %nothing, label %done, label %halt
halt:
{_field("stop", _STOP)}
{_field("mutex", _MUTEX)}
{_field("condition", _CONDITION)}
{_field("workers", _WORKERS)}
  store atomic i32 1, ptr %stop seq_cst, align 4
  %l = call i32 @pthread_mutex_lock(ptr %mutex)
  %b = call i32 @pthread_cond_broadcast(ptr %condition)
  %u = call i32 @pthread_mutex_unlock(ptr %mutex)
  %count = load i64, ptr %workers
  br label %each
each:
  %i = phi i64 [ 0, %halt ], [ %i1, %join ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %join, label %free
join:
  %bytes = mul i64 %i, 8
  %offset = add i64 %bytes, {_THREADS}
  %slot = getelementptr i8, ptr %pool, i64 %offset
  %thread = load ptr, ptr %slot
  %r = call i32 @pthread_join(ptr %thread, ptr null)
  %i1 = add i64 %i, 1
  br label %each
free:
  %d = call i32 @pthread_cond_destroy(ptr %condition)
  %e = call i32 @pthread_mutex_destroy(ptr %mutex)
  call void @free(ptr %pool)
  br label %done
done:
  ret void
}}"""

_LIBC = {
    "pthread_create": ("i32", "ptr, ptr, ptr, ptr"),
    "pthread_join": ("i32", "ptr, ptr"),
    "pthread_mutex_init": ("i32", "ptr, ptr"),
    "pthread_mutex_lock": ("i32", "ptr"),
    "pthread_mutex_unlock": ("i32", "ptr"),
    "pthread_mutex_destroy": ("i32", "ptr"),
    "pthread_cond_init": ("i32", "ptr, ptr"),
    "pthread_cond_wait": ("i32", "ptr, ptr"),
    "pthread_cond_broadcast": ("i32", "ptr"),
    "pthread_cond_destroy": ("i32", "ptr"),
    "sched_yield": ("i32", ""),
    "free": ("void", "ptr"),
}


def pool_text(prefix: str, target: Target, declarations: dict[str, str]) -> list[str]:
    """`const mlc_parallel *PREFIX_pool_create(int threads)` (NULL when there is no memory: serial) and `void
    PREFIX_pool_destroy(const mlc_parallel *)`.
    """
    size = f"i{target.pointer}"
    pause = _PAUSE.get(target.arch, "")
    for name, (result, parameters) in _LIBC.items():
        declarations[name] = f"declare {result} @{name}({parameters})"
    declarations["calloc"] = f"declare ptr @calloc({size}, {size})"
    if pause:
        name = pause.split("(")[0]
        declarations[name] = f"declare void @{name}({'i32' if 'i32' in pause else ''})"
    create = _CREATE.replace("SIZE_OF_TOTAL", "add i64 %total, 0" if size == "i64" else f"trunc i64 %total to {size}")
    create = create.replace("SIZE ", f"{size} ").replace("i64 -1", f"i64 {target.pointer // 8}")
    texts = [_CHUNKS, _WORKER, _RUN, create, _DESTROY]
    return [
        t.replace("PREFIX", prefix).replace("PAUSE", f"call void @{pause}" if pause else "").lstrip("\n") for t in texts
    ]
