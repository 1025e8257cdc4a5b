/* What the machine itself costs: a folder and a spawned agent per trial, COUNT at once, nothing read.
   floor N COUNT STUB FOLDER */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

int main(int count, char **words) {
  if (count != 5) return 2;
  int trials = atoi(words[1]), at_once = atoi(words[2]), running = 0;
  for (int i = 0; i < trials; i++) {
    char place[4096], output[4200];
    snprintf(place, sizeof place, "%s/%d", words[4], i);
    snprintf(output, sizeof output, "%s.jsonl", place);
    if (mkdir(place, 0755)) return 3;
    if (running >= at_once) { wait(NULL); running--; }
    posix_spawn_file_actions_t to_file;
    posix_spawn_file_actions_init(&to_file);
    posix_spawn_file_actions_addopen(&to_file, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    char *argv[] = {words[3], "-C", place, NULL};
    pid_t child;
    if (posix_spawn(&child, words[3], &to_file, NULL, argv, environ)) return 4;
    posix_spawn_file_actions_destroy(&to_file);
    running++;
  }
  while (running-- > 0) wait(NULL);
  return 0;
}
