/* An audit library (rtld-audit(7)) that hides AVX-512, AVX-VNNI and AMX from the libraries of a process.  LIMITED names
   a file of lines `PATH OFFSET...`: where in a library CPUID stands.  As the library is mapped, before anything of it
   runs, each becomes UD2, as long; the handler of its fault gives what the processor says without their bits (Intel SDM
   volume 2A, CPUID, leaf 7).  Programs that the process starts are not limited. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static char *places; /* the text of LIMITED */

static unsigned bits(const char *list) {
  unsigned mask = 0;
  for (char *end; *list; list = end) mask |= 1u << strtoul(list, &end, 10);
  return mask;
}

static void on_fault(int number, siginfo_t *info, void *context) {
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  const unsigned char *at = (const unsigned char *)r[REG_RIP];
  (void)info;
  if (at[0] != 0x0F || at[1] != 0x0B) {
    signal(number, SIG_DFL); /* the instruction runs again */
    return;
  }
  unsigned leaf = (unsigned)r[REG_RAX], part = (unsigned)r[REG_RCX], a, b, c, d;
  __cpuid_count(leaf, part, a, b, c, d);
  if (leaf == 7 && part == 0) {
    b &= ~bits("16 17 21 26 27 28 30 31"); /* F DQ IFMA PF ER CD BW VL */
    c &= ~bits("1 6 11 12 14");            /* VBMI VBMI2 VNNI BITALG VPOPCNTDQ */
    d &= ~bits("2 3 8 22 23 24 25");       /* 4VNNIW 4FMAPS VP2INTERSECT AMX-BF16 FP16 AMX-TILE AMX-INT8 */
  } else if (leaf == 7 && part == 1) {
    a &= ~bits("4 5 21"); /* AVX-VNNI AVX512_BF16 AMX-FP16 */
    d &= ~bits("4 5 19"); /* AVX-VNNI-INT8 AVX-NE-CONVERT AVX10 */
  }
  r[REG_RAX] = a, r[REG_RBX] = b, r[REG_RCX] = c, r[REG_RDX] = d, r[REG_RIP] += 2;
}

static void replace(unsigned char *at) {
  if (at[0] != 0x0F || at[1] != 0xA2) {
    fprintf(stderr, "limited: no CPUID at %p\n", (void *)at);
    _exit(1);
  }
  uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)at & ~(size - 1);
  mprotect((void *)page, 2 * size, PROT_READ | PROT_WRITE | PROT_EXEC);
  at[1] = 0x0B;
  mprotect((void *)page, 2 * size, PROT_READ | PROT_EXEC);
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
  char *path = realpath(map->l_name, NULL);
  size_t length = path ? strlen(path) : 0;
  (void)space, (void)cookie;
  for (char *line = length ? places : NULL; line && *line; line = strchr(line, '\n') + 1) {
    if (strncmp(line, path, length) || line[length] != ' ') continue;
    for (char *at = line + length; *at == ' ';) replace((unsigned char *)map->l_addr + strtoul(at, &at, 16));
  }
  free(path);
  return 0;
}

unsigned la_version(unsigned version) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  FILE *file = fopen(getenv("LIMITED"), "r");
  size_t size = 0;
  if (!file || getdelim(&places, &size, '\0', file) < 0) return 0; /* the loader ignores the library */
  fclose(file);
  unsetenv("LD_AUDIT");
  sigaction(SIGILL, &action, NULL);
  return version;
}
