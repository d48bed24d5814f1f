// For LD_PRELOAD: shifts the wall clock by the seconds in /dev/shm/clock. Java does not start with libfaketime, which also changes waits.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
  static volatile long seconds, read_at = -1;
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  if (now.tv_sec != read_at) {
    char text[16] = "";
    int file = open("/dev/shm/clock", O_RDONLY);
    read_at = now.tv_sec;
    seconds = file >= 0 && read(file, text, 15) > 0 ? atol(text) : 0;
    if (file >= 0) close(file);
  }
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
  int failed = syscall(SYS_clock_gettime, clock, result);
  if (!failed && clock == CLOCK_REALTIME) result->tv_sec += shift();
  return failed;
}

int gettimeofday(struct timeval *restrict result, void *restrict) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
