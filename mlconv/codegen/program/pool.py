"""A small thread pool as LLVM IR, needing pthreads and the C allocator only: what `mlc_parallel` is filled with when
the caller has no pool.

One word of state says which job is open and how many workers are inside, so that a worker that sleeps is never waited
for.  Waiting spins a while, then sleeps (workers) or yields (the caller).  A call from inside a task, or while another
thread's job runs, is served by the calling thread alone.

Each thread has a share of its own of the items of a job, the same one for the same number of items: what it wrote in
one kernel it mostly reads in the next, from its own caches.  When its share is done it helps with those of others.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm.function import CodeFunction
from mlconv.codegen.llvm.instructions import UNORDERED
from mlconv.codegen.llvm.types import (
    FALSE,
    I1,
    I8,
    I32,
    I64,
    NULL,
    POINTER,
    TRUE,
    VOID,
    LlvmType,
    Value,
    index,
    integer,
    pointer,
)
from mlconv.codegen.machines.targets import Target

SPIN_NS = 200_000  # that a thread waits for before it sleeps or yields: longer than what is between two calls
_LOOKS = 32  # pauses between two looks at the clock: a pause is from a few to 140 cycles
_OPEN, _GENERATION = 1 << 16, 17  # state: workers inside (16 bits), open (1 bit), number of the job

# Offsets in bytes; fields that different threads write lie on cache lines of their own.
_WORKERS, _STOP, _SLEEPERS, _STATE, _NUMBERS, _TASK, _ARGUMENT, _COUNT, _GRAIN, _MUTEX, _CONDITION, _BUSY, _SHARES = (
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
_JOB = (_TASK, _ARGUMENT, _COUNT, _GRAIN)
_PAUSE: dict[str, tuple[str, Sequence[Value]]] = {
    "x86_64": ("llvm.x86.sse2.pause", []),
    "aarch64": ("llvm.aarch64.hint", [integer(I32, 1)]),
    "arm64": ("llvm.aarch64.hint", [integer(I32, 1)]),
    "armv7": ("llvm.arm.hint", [integer(I32, 1)]),
}
_POOL = pointer("%pool")
_NONE, _ONE = integer(I32, 0), integer(I32, 1)
_LINE = 64  # bytes of a cache line; each thread has one, with the next item of its share and the handle of the thread
_HANDLE = 8  # offset in it
TRACE = 40  # offset of the address of a table of times, in a pool that records them
EVENT = 32  # bytes of a row of it: seconds and nanoseconds in front of some work, and behind it
EVENTS = 4095  # rows of a thread, behind one that begins with how many there are; what is more is not kept
_MONOTONIC = 1  # Linux; clock 0, which counts from 1970, is POSIX's everywhere
_WALL, _SECOND = 0, 1_000_000_000
_PIECE = 10  # grains, about 20 microseconds, that are taken from a share at least


def pool_text(prefix: str, target: Target, declarations: dict[str, str], traced: bool = False) -> list[str]:
    """`const mlc_parallel *PREFIX_pool_create(int threads)` (NULL when there is no memory: serial) and `void
    PREFIX_pool_destroy(const mlc_parallel *)`.

    traced: each thread notes when it works, in the table whose address stands at `TRACE` of the pool.
    """
    pool = _Pool(prefix, target, declarations, traced)
    made = (pool.pause(), pool.chunks(), pool.worker(), pool.run(), pool.create(), pool.destroy())
    return [function.text() for function in made]


class _Pool:
    """The functions for a machine."""

    def __init__(self, prefix: str, target: Target, declarations: dict[str, str], traced: bool) -> None:
        self.prefix, self.target, self.declarations, self.traced = prefix, target, declarations, traced

    def chunks(self) -> CodeFunction:
        """pool_chunks(pool, own): works on the open job until all of it is taken: on the share of thread `own` first,
        then on what is left of the others'.
        """
        own = Value(I64, "%own")
        f = self._function(VOID, "pool_chunks", [_POOL, own])
        places = _fields(f, _POOL, *_JOB, _WORKERS)
        task, argument, count, grain, workers = (
            f.load(type_, at, 0) for type_, at in zip((POINTER, POINTER, I64, I64, I64), places, strict=True)
        )
        threads = f.add(workers, index(1))
        f.goto("turn")
        f.label("turn")
        turn = f.phi(I64)
        number = f.add(own, turn)
        thread = f.urem(number, threads)
        next_, stop = _next(f, thread), _begin(f, f.add(thread, index(1)), count, threads)
        f.goto("look")
        f.label("look")
        begin = f.load_atomic(I64, next_, UNORDERED)
        left = f.sub(stop, begin)
        f.branch(f.icmp("sgt", left, index(0)), "take", "following")
        f.label("take")
        half, least = f.sub(left, f.binary("lshr", left, index(1))), f.mul(grain, index(_PIECE))
        some = f.select(f.icmp("sgt", half, least), half, least)
        size = f.select(f.icmp("sgt", some, left), left, some)
        end = f.add(begin, size)
        f.branch(f.exchange(next_, begin, end), "work", "look")
        f.label("work")
        if self.traced:
            self._traced(f, own, task, [argument, begin, end])
        else:
            f.invoke(VOID, task, [argument, begin, end])
        f.goto("look")
        f.label("following")
        after = f.add(turn, index(1))
        f.branch(f.icmp("slt", after, threads), "turn", "done")
        f.comes(turn, index(0), "entry")
        f.comes(turn, after, "following")
        f.label("done")
        f.ret()
        return f

    def _traced(self, f: CodeFunction, own: Value, task: Value, arguments: Sequence[Value]) -> None:
        """Some work of a thread between two looks at the clock."""
        rows = f.load(POINTER, _fields(f, _POOL, TRACE)[0], 0)
        rows = f.gep(I8, rows, f.mul(own, index(EVENT * (EVENTS + 1))))
        known = f.load(I64, rows, 0)
        there = f.select(f.icmp("slt", known, index(EVENTS)), f.add(known, index(1)), known)
        row = f.gep(I8, rows, f.mul(there, index(EVENT)))
        clock = integer(I32, _MONOTONIC)
        f.call(I32, "clock_gettime", [clock, row])
        f.invoke(VOID, task, arguments)
        f.call(I32, "clock_gettime", [clock, f.gep(I8, row, index(EVENT // 2))])
        f.store(there, rows, 0)

    def worker(self) -> CodeFunction:
        """pool_worker(pool), a thread: waits for a job that it has not seen, and works on it while it is open."""
        f = self._function(POINTER, "pool_worker", [_POOL])
        numbers, state, stop, *sleep = _fields(f, _POOL, _NUMBERS, _STATE, _STOP, _SLEEPERS, _MUTEX, _CONDITION)
        since = f.room(I64, 1)
        own = f.add(f.update("add", numbers, index(1)), index(1))
        f.goto("idle")
        f.label("idle")
        seen = f.phi(I64)
        f.comes(seen, index(0), "entry")
        f.goto("spin")
        f.label("spin")
        turns = f.phi(I64)
        word = f.load_atomic(I64, state)
        number = _number(f, word)
        f.branch(f.icmp("ne", number, seen), "job", "ask")
        f.label("ask")
        halts = f.icmp("ne", f.load_atomic(I32, stop), _NONE)
        f.branch(halts, "leave_thread", "again")
        f.label("again")
        following = f.add(turns, index(1))
        f.branch(f.invoke(I1, "pool_pause", [turns, since]), "sleep", "spin")
        f.comes(turns, index(0), "idle")
        f.comes(turns, following, "again")
        _sleep(f, seen, [state, stop, *sleep])
        _help(f, own, (seen, state, word, number))
        f.label("leave_thread")
        f.ret(NULL)
        return f

    def run(self) -> CodeFunction:
        """pool_run(pool, count, grain, task, argument): `parallel_for`, by the caller alone where that is enough, or
        another thread has the pool.
        """
        count, grain, task, argument = (
            Value(I64, "%count"),
            Value(I64, "%grain"),
            pointer("%task"),
            pointer("%argument"),
        )
        f = self._function(VOID, "pool_run", [_POOL, count, grain, task, argument])
        busy, state, workers, *rest = _fields(f, _POOL, _BUSY, _STATE, _WORKERS, *_JOB, _SLEEPERS, _MUTEX, _CONDITION)
        job, sleepers, mutex, condition = rest[:4], *rest[4:]
        since = f.room(I64, 1)
        f.branch(f.icmp("sle", count, grain), "alone", "try")
        f.label("try")
        f.branch(f.exchange(busy, _NONE, _ONE), "share", "alone")
        f.label("alone")
        f.invoke(VOID, task, [argument, index(0), count])
        f.ret()
        f.label("share")
        for value, place in zip((task, argument, count, grain), job, strict=True):
            f.store(value, place, 0)
        _deal(f, count, f.add(f.load(I64, workers, 0), index(1)))
        _open(f, state)
        f.branch(f.icmp("ne", f.load_atomic(I32, sleepers), _NONE), "wake", "work")
        f.label("wake")
        _wake(f, mutex, condition)
        f.goto("work")
        f.label("work")
        f.invoke(VOID, "pool_chunks", [_POOL, index(0)])
        f.update("and", state, index(~_OPEN))
        self._wait(f, state, since)
        f.store_atomic(_NONE, busy)
        f.ret()
        return f

    def _wait(self, f: CodeFunction, state: Value, since: Value) -> None:
        """Until no worker is inside."""

        def left() -> Value:
            inside = f.and_(f.load_atomic(I64, state), index(_OPEN - 1))
            return f.icmp("eq", inside, index(0))

        f.goto("spin")
        f.label("spin")
        turns = f.phi(I64)
        f.branch(left(), "done", "more")
        f.label("more")
        following = f.add(turns, index(1))
        f.branch(f.invoke(I1, "pool_pause", [turns, since]), "yield", "spin")
        f.comes(turns, index(0), "work")
        f.comes(turns, following, "more")
        f.label("yield")
        f.call(I32, "sched_yield", [])
        f.branch(left(), "done", "yield")
        f.label("done")

    def create(self) -> CodeFunction:
        """As many workers as threads are wanted besides the caller's; fewer when the system refuses."""
        threads, size = Value(I32, "%threads"), I64 if self.target.pointer == I64.bits else I32
        f = self._function(POINTER, f"{self.prefix}_pool_create", [threads], "")
        several = f.select(f.icmp("sgt", threads, _ONE), threads, _ONE)
        wide = f.convert("zext", several, I64)
        total = f.add(f.mul(wide, index(_LINE)), index(_SHARES))
        size_bytes = total if size is I64 else f.convert("trunc", total, size)
        pool = f.call(POINTER, "calloc", [integer(size, 1), size_bytes])
        f.branch(f.icmp("eq", pool, NULL), "done", "fill")
        f.label("fill")
        mutex, condition, run, workers = _fields(f, pool, _MUTEX, _CONDITION, self.target.pointer // 8, _WORKERS)
        f.store(pool, pool, 0)
        f.store(pointer("@pool_run"), run, 0)
        f.call(I32, "pthread_mutex_init", [mutex, NULL])
        f.call(I32, "pthread_cond_init", [condition, NULL])
        wanted = f.sub(wide, index(1))
        f.goto("start")
        f.label("start")
        i = f.phi(I64)
        f.store(i, workers, 0)
        f.branch(f.icmp("slt", i, wanted), "launch", "done")
        f.label("launch")
        thread = f.call(I32, "pthread_create", [_handle(f, pool, i), NULL, pointer("@pool_worker"), pool])
        f.branch(f.icmp("eq", thread, _NONE), "started", "done")
        f.label("started")
        following = f.add(i, index(1))
        f.goto("start")
        f.comes(i, index(0), "fill")
        f.comes(i, following, "started")
        f.label("done")
        f.ret(pool)
        return f

    def destroy(self) -> CodeFunction:
        """Ends the workers, which no job keeps, and frees the memory."""
        f = self._function(VOID, f"{self.prefix}_pool_destroy", [_POOL], "")
        f.branch(f.icmp("eq", _POOL, NULL), "done", "halt")
        f.label("halt")
        stop, mutex, condition, workers = _fields(f, _POOL, _STOP, _MUTEX, _CONDITION, _WORKERS)
        f.store_atomic(_ONE, stop)
        _wake(f, mutex, condition)
        count = f.load(I64, workers, 0)
        f.goto("each")
        f.label("each")
        i = f.phi(I64)
        f.branch(f.icmp("slt", i, count), "join", "free")
        f.label("join")
        f.call(I32, "pthread_join", [f.load(POINTER, _handle(f, _POOL, i), 0), NULL])
        following = f.add(i, index(1))
        f.goto("each")
        f.comes(i, index(0), "halt")
        f.comes(i, following, "join")
        f.label("free")
        f.call(I32, "pthread_cond_destroy", [condition])
        f.call(I32, "pthread_mutex_destroy", [mutex])
        f.call(VOID, "free", [_POOL])
        f.goto("done")
        f.label("done")
        f.ret()
        return f

    def pause(self) -> CodeFunction:
        """pool_pause(turns, since): tells the processor that a thread waits, for turn number `turns`; whether it has
        waited for `SPIN_NS`.  since: keeps the nanoseconds of the second in which it began to.  Seconds are not looked
        at: who was away for whole ones waits once more.
        """
        turns, since = Value(I64, "%turns"), pointer("%since")
        f = self._function(I1, "pool_pause", [turns, since])
        if self.target.arch in _PAUSE:
            name, arguments = _PAUSE[self.target.arch]
            f.call(VOID, name, arguments)
        now = f.room(I64, 2)  # struct timespec: two numbers of the size of a pointer
        f.branch(f.icmp("eq", f.urem(turns, index(_LOOKS)), index(0)), "look", "not_yet")
        f.label("look")
        failed = f.call(I32, "clock_gettime", [integer(I32, _WALL), now])
        f.branch(f.icmp("ne", failed, _NONE), "enough", "read")
        f.label("read")
        place, size = _fields(f, now, self.target.pointer // 8)[0], I64 if self.target.pointer == I64.bits else I32
        found = f.load(size, place, 0)
        found = found if size is I64 else f.convert("zext", found, I64)
        f.branch(f.icmp("eq", turns, index(0)), "begin", "compare")
        f.label("begin")
        f.store(found, since, 0)
        f.goto("not_yet")
        f.label("compare")
        passed = f.urem(f.add(f.sub(found, f.load(I64, since, 0)), index(_SECOND)), index(_SECOND))
        f.branch(f.icmp("uge", passed, index(SPIN_NS)), "enough", "not_yet")
        f.label("enough")
        f.ret(TRUE)
        f.label("not_yet")
        f.ret(FALSE)
        return f

    def _function(
        self, result: LlvmType, name: str, parameters: Sequence[Value], linkage: str = "internal"
    ) -> CodeFunction:
        return CodeFunction(result, name, parameters, self.declarations, linkage=linkage)


def _fields(f: CodeFunction, pool: Value, *offsets: int) -> list[Value]:
    """Addresses of fields."""
    return [f.gep(I8, pool, index(offset)) for offset in offsets]


def _handle(f: CodeFunction, pool: Value, i: Value) -> Value:
    """The address of the handle of a worker."""
    return f.gep(I8, pool, f.add(f.mul(i, index(_LINE)), index(_SHARES + _HANDLE)))


def _next(f: CodeFunction, thread: Value) -> Value:
    """The address of the number of the item that a thread's share goes on with."""
    return f.gep(I8, _POOL, f.add(f.mul(thread, index(_LINE)), index(_SHARES)))


def _begin(f: CodeFunction, thread: Value, count: Value, threads: Value) -> Value:
    """The first item of a thread's share: shares are equal but for one item."""
    whole, rest = f.udiv(count, threads), f.urem(count, threads)
    more = f.select(f.icmp("slt", thread, rest), thread, rest)
    return f.add(f.mul(thread, whole), more)


def _deal(f: CodeFunction, count: Value, threads: Value) -> None:
    """The shares of all threads, in front of a job."""
    f.goto("deal")
    f.label("deal")
    thread = f.phi(I64)
    f.store_atomic(_begin(f, thread, count, threads), _next(f, thread), UNORDERED)
    following = f.add(thread, index(1))
    f.branch(f.icmp("slt", following, threads), "deal", "dealt")
    f.comes(thread, index(0), "share")
    f.comes(thread, following, "deal")
    f.label("dealt")


def _number(f: CodeFunction, word: Value) -> Value:
    """The number of the job, of a word of state."""
    return f.binary("lshr", word, index(_GENERATION))


def _open(f: CodeFunction, state: Value) -> None:
    """The next job begins, with nobody inside."""
    following = f.add(_number(f, f.load_atomic(I64, state)), index(1))
    f.store_atomic(f.or_(f.binary("shl", following, index(_GENERATION)), index(_OPEN)), state)


def _wake(f: CodeFunction, mutex: Value, condition: Value) -> None:
    """All workers that sleep."""
    f.call(I32, "pthread_mutex_lock", [mutex])
    f.call(I32, "pthread_cond_broadcast", [condition])
    f.call(I32, "pthread_mutex_unlock", [mutex])


def _sleep(f: CodeFunction, seen: Value, places: Sequence[Value]) -> None:
    """From `sleep` back to `idle`, when there is a job that was not seen, or all shall end."""
    state, stop, sleepers, mutex, condition = places
    f.label("sleep")
    f.call(I32, "pthread_mutex_lock", [mutex])
    f.update("add", sleepers, _ONE)
    f.goto("check")
    f.label("check")
    same = f.icmp("eq", _number(f, f.load_atomic(I64, state)), seen)
    goes = f.icmp("eq", f.load_atomic(I32, stop), _NONE)
    f.branch(f.and_(same, goes), "wait", "awake")
    f.label("wait")
    f.call(I32, "pthread_cond_wait", [condition, mutex])
    f.goto("check")
    f.label("awake")
    f.update("sub", sleepers, _ONE)
    f.call(I32, "pthread_mutex_unlock", [mutex])
    f.goto("idle")
    f.comes(seen, seen, "awake")


def _help(f: CodeFunction, own: Value, values: Sequence[Value]) -> None:
    """From `job` back to `idle`: into the job of a word of state, if it is open still, and out again."""
    seen, state, word, number = values
    f.label("job")
    f.branch(f.icmp("ne", f.and_(word, index(_OPEN)), index(0)), "enter", "closed")
    f.label("closed")
    f.goto("idle")
    f.label("enter")
    f.branch(f.exchange(state, word, f.add(word, index(1))), "work", "changed")
    f.label("changed")
    f.goto("idle")
    f.label("work")
    f.invoke(VOID, "pool_chunks", [_POOL, own])
    f.goto("leave")
    f.label("leave")
    f.update("sub", state, index(1))
    f.goto("idle")
    for value, label in ((seen, "changed"), (number, "leave"), (number, "closed")):
        f.comes(seen, value, label)
