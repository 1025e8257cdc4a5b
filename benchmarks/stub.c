/* A nearly free agent: prints a recorded session, leaves report.md, and stamps when it first ran.

   Environment: FAKE_TRACE  prefix of the traces, FAKE_TRACE "0.jsonl" … ; FAKE_COUNT how many
                FAKE_FIRST  a file made once, holding the monotonic clock in nanoseconds
   Arguments:   "-C DIR" first is where to work; --version answers; all others are ignored,
                because a harness adds those of the agent that it believes to be asking. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void stamp(const char *path) {
  int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL, 0644) : -1;
  if (fd < 0) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  dprintf(fd, "%lld", (long long)now.tv_sec * 1000000000LL + now.tv_nsec);
  close(fd);
}

static int copy_out(int from) {
  struct stat about;
  if (fstat(from, &about)) return 1;
  for (off_t at = 0; at < about.st_size;) {
    if (sendfile(1, from, &at, about.st_size - at) > 0) continue;
    char block[65536]; /* stdout may be something that sendfile refuses */
    ssize_t got = pread(from, block, sizeof block, at);
    if (got <= 0) return 1;
    for (ssize_t done = 0, wrote; done < got; done += wrote)
      if ((wrote = write(1, block + done, got - done)) < 0) return 1;
    at += got;
  }
  return 0;
}

int main(int count, char **words) {
  if (count > 1 && !strcmp(words[1], "--version")) return puts("2.1.327 (Claude Code)") < 0;
  stamp(getenv("FAKE_FIRST"));
  if (count > 2 && !strcmp(words[1], "-C") && chdir(words[2])) return 3;
  int report = open("report.md", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (report < 0 || write(report, "# done\n", 7) != 7) return 4;
  close(report);
  const char *prefix = getenv("FAKE_TRACE"), *many = getenv("FAKE_COUNT");
  char path[4096];
  int of = many ? atoi(many) : 1;
  snprintf(path, sizeof path, "%s%d.jsonl", prefix ? prefix : "", (int)(getpid() % (of > 0 ? of : 1)));
  int trace = open(path, O_RDONLY);
  return trace < 0 ? 2 : copy_out(trace);
}
