/* A plug-in of QEMU (version 7 or 8): at the end it writes how many instructions ran to the file that it is given.

   cc -shared -fPIC -o counted.so counted.c;  qemu-aarch64 -plugin ./counted.so,to=FILE ...
   What it calls is declared here, as Debian has no package with QEMU's header (qemu-plugin.h). */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
enum { NO_REGISTERS = 0 };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*call)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, void (*call)(unsigned, void *), int flags,
    void *argument);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*call)(plugin_id, void *), void *argument);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
static _Atomic uint64_t instructions;
static char path[4096];

static void run(unsigned cpu, void *count) {
  atomic_fetch_add_explicit(&instructions, (uintptr_t)count, memory_order_relaxed);
}

static void translated(plugin_id id, struct qemu_plugin_tb *block) {
  qemu_plugin_register_vcpu_tb_exec_cb(block, run, NO_REGISTERS, (void *)qemu_plugin_tb_n_insns(block));
}

static void ended(plugin_id id, void *nothing) {
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%" PRIu64 "\n", instructions);
  fclose(file);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info, int count, char **values) {
  if (count != 1 || strncmp(values[0], "to=", 3) || strlen(values[0]) - 3 >= sizeof path) return 1;
  strcpy(path, values[0] + 3);
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
