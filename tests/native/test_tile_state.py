"""What a process and its threads have of tile registers (AMX), on machines that have them: a program in C, since Python
asks for permissions and makes signal stacks of its own.

Source: Linux, Documentation/arch/x86/xstate.rst, "Dynamic features in Intel AMX".
"""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.ir.spec import OpDef
from tests.support.integers import constant, function_of, int8
from tests.support.native import needs_cc, run_program, to_object

pytestmark = [needs_cc, pytest.mark.skipif("amx" not in host_cpus(), reason="this machine has no tiles")]
ROWS, DEPTH, COLUMNS = 40, 128, 48
PROGRAM = """
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "m.h"
static int8_t x[ROWS * DEPTH], y[ROWS * COLUMNS];
static sem_t go;
static volatile long signals;
static int refuse(void) { /* what arch_prctl(ARCH_REQ_XCOMP_PERM) asks for */
  struct sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 158, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 16), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x1023, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 22), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {6, rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
static int permitted(void) { /* ARCH_GET_XCOMP_PERM, bit XTILEDATA */
  unsigned long mask = 0;
  syscall(158, 0x1022, &mask);
  return mask >> 18 & 1;
}
static int in_use(void) { /* XGETBV 1: XTILECFG and XTILEDATA */
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return low >> 17 & 3;
}
static int run(void) {
  _Alignas(64) static _Thread_local char workspace[M_WORKSPACE_BYTES + 64];
  int8_t out[ROWS * COLUMNS];
  memset(out, 0x55, sizeof out);
  return m_call(x, out, workspace, NULL) || memcmp(out, y, sizeof y) || in_use();
}
static void on_signal(int number) {
  (void)number;
  signals++;
  if (run()) _exit(40);
}
static void *often(void *argument) {
  sem_wait(&go);
  for (int i = 0; i < 500; i++)
    if (run()) return argument;
  return NULL;
}
static int child(void) {
  int status;
  pid_t one = fork();
  if (one == 0) _exit(run() != 0);
  return waitpid(one, &status, 0) != one || status;
}
int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "";
  int tiles = 1;
  FILE *data = fopen("data", "rb");
  if (!data || fread(x, 1, sizeof x, data) != sizeof x || fread(y, 1, sizeof y, data) != sizeof y) return 2;
  if (!strcmp(mode, "refused")) tiles = 0;
  if (!strcmp(mode, "small")) { /* what a signal pushes then has no room */
    stack_t small = {malloc(4096), 0, 4096};
    if (sigaltstack(&small, NULL)) return 0; /* it has none in any case */
    tiles = 0;
  }
  if (!strcmp(mode, "refused") && refuse()) return 3;
  if (!strcmp(mode, "fork") && child()) return 4;
  pthread_t before; /* made before anything is asked for */
  sem_init(&go, 0, 0);
  if (pthread_create(&before, NULL, often, &before)) return 5;
  if (permitted()) return 6;
  if (!strcmp(mode, "signals")) { /* which reach either thread while it has tiles */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval fast = {{0, 500}, {0, 500}};
    if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &fast, NULL)) return 7;
  }
  if (run() || permitted() != tiles) return 8;
  sem_post(&go);
  for (int i = 0; i < 500; i++)
    if (run()) return 9;
  void *wrong;
  if (pthread_join(before, &wrong) || wrong) return 10;
  if (!strcmp(mode, "fork") && child()) return 11;
  return !strcmp(mode, "signals") && signals == 0 ? 12 : 0;
}
"""


def product() -> tuple[Module, np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    weights, x = (random.integers(-128, 128, s).astype(np.int8) for s in ((DEPTH, COLUMNS), (ROWS, DEPTH)))

    def make(b: Builder, v: list[Value]) -> OpDef:
        return core.QuantMatMul(v[0], constant(b, weights, int8(0.01)), element=int8(0.2), lo=-128, hi=127)

    m = function_of([(int8(0.03, 5), x.shape)], make)
    return m, x, next(iter(run_function(m.main, {"in0": x}).values()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Has the program, and what it reads and should write."""
    made = tmp_path_factory.mktemp("tiles")
    m, x, y = product()
    to_object(m, made / "m.o", "")
    (made / "data").write_bytes(x.tobytes() + y.tobytes())
    sizes = f"enum {{ ROWS = {ROWS}, DEPTH = {DEPTH}, COLUMNS = {COLUMNS} }};\n"
    (made / "main.c").write_text(sizes + PROGRAM)
    run_program("cc", "-D_GNU_SOURCE", "-o", "main", "main.c", "m.o", "-lm", "-lpthread", folder=made)
    return made


@pytest.mark.parametrize("mode", ["threads", "fork", "signals", "refused", "small"])
def test_tiles_are_those_of_a_call(mode: str, folder: pathlib.Path) -> None:
    """Threads that were there before, children and handlers of signals have the right integers, and no thread has
    tiles when a call has returned; another set is taken where the system refuses them.
    """
    run_program("./main", mode, folder=folder)
