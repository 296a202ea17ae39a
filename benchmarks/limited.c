/* Preloaded into a process, hides AVX-512, AVX-VNNI and AMX from all that asks CPUID: Linux lets the instruction fault
   (arch_prctl(2), ARCH_SET_CPUID; Intel since Ivy Bridge), and the handler gives what the processor says without
   their bits (Intel SDM volume 2A, CPUID, leaf 7).  Programs that the process starts are not limited. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { ARCH_SET_CPUID = 0x1012 };

static unsigned bits(const char *list) {
  unsigned mask = 0;
  for (char *end; *list; list = end) mask |= 1u << strtoul(list, &end, 10);
  return mask;
}

static void on_fault(int number, siginfo_t *info, void *context) {
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  const unsigned char *at = (const unsigned char *)r[REG_RIP];
  (void)info;
  if (at[0] != 0x0F || at[1] != 0xA2) {
    signal(number, SIG_DFL); /* the instruction runs again */
    return;
  }
  unsigned leaf = (unsigned)r[REG_RAX], part = (unsigned)r[REG_RCX], a, b, c, d;
  syscall(SYS_arch_prctl, ARCH_SET_CPUID, 1);
  __cpuid_count(leaf, part, a, b, c, d);
  syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0);
  if (leaf == 7 && part == 0) {
    b &= ~bits("16 17 21 26 27 28 30 31"); /* F DQ IFMA PF ER CD BW VL */
    c &= ~bits("1 6 11 12 14");            /* VBMI VBMI2 VNNI BITALG VPOPCNTDQ */
    d &= ~bits("2 3 8 22 23 24 25");       /* 4VNNIW 4FMAPS VP2INTERSECT AMX-BF16 FP16 AMX-TILE AMX-INT8 */
  } else if (leaf == 7 && part == 1) {
    a &= ~bits("4 5 21");  /* AVX-VNNI AVX512_BF16 AMX-FP16 */
    d &= ~bits("4 5 19"); /* AVX-VNNI-INT8 AVX-NE-CONVERT AVX10 */
  }
  r[REG_RAX] = a, r[REG_RBX] = b, r[REG_RCX] = c, r[REG_RDX] = d, r[REG_RIP] += 2;
}

__attribute__((constructor)) static void limit(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  unsetenv("LD_PRELOAD");
  sigaction(SIGSEGV, &action, NULL);
  if (syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0)) {
    fputs("limited: this machine does not let CPUID fault\n", stderr);
    _exit(1);
  }
}
