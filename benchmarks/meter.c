/* Runs one command and says what it used: meter REPORT COMMAND…
   REPORT gets: began and ended in nanoseconds of the monotonic clock, CPU microseconds of the
   command with all its children, peak KiB of the largest of them, and the exit code.
   A small program, because a child's peak starts at the size of whoever starts it. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (long long)t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long micros(struct timeval t) { return (long long)t.tv_sec * 1000000LL + t.tv_usec; }

int main(int count, char **words) {
  if (count < 3) return 2;
  pid_t child;
  int status;
  struct rusage used;
  long long began = now();
  if (posix_spawnp(&child, words[2], NULL, NULL, words + 2, environ)) return 3;
  if (wait4(child, &status, 0, &used) < 0) return 4;
  long long ended = now();
  FILE *report = fopen(words[1], "w");
  if (!report) return 5;
  fprintf(report, "%lld %lld %lld %ld %d\n", began, ended, micros(used.ru_utime) + micros(used.ru_stime),
          used.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return fclose(report) != 0;
}
