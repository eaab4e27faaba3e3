/* Loses and delays the UDP datagrams that a process sends (LD_PRELOAD).
 *
 * FAULTS_LOSS: share that is lost, 0 to 1. FAULTS_DELAY: most seconds by which one is late.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static double number_of(const char *name) {
  const char *text = getenv(name);
  return text ? atof(text) : 0.0;
}

static double chance(void) {
  static __thread uint64_t state;
  if (!state) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    state = (uint64_t)now.tv_nsec * 2654435761u + (uintptr_t)&state;
  }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0;
}

/* Whether a datagram is lost; waits where it is late. */
static int lost(int file) {
  int kind = 0, family = 0;
  socklen_t size = sizeof kind;
  if (getsockopt(file, SOL_SOCKET, SO_TYPE, &kind, &size) || kind != SOCK_DGRAM) return 0;
  size = sizeof family;
  if (getsockopt(file, SOL_SOCKET, SO_DOMAIN, &family, &size) || family != AF_INET) return 0;
  if (chance() < number_of("FAULTS_LOSS")) return 1;
  double late = chance() * number_of("FAULTS_DELAY");
  struct timespec wait = {(time_t)late, (long)((late - (time_t)late) * 1e9)};
  nanosleep(&wait, NULL);
  return 0;
}

ssize_t sendto(int file, const void *data, size_t size, int flags, const struct sockaddr *to,
               socklen_t length) {
  static ssize_t (*next)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "sendto");
  return lost(file) ? (ssize_t)size : next(file, data, size, flags, to, length);
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
  static ssize_t (*next)(int, const struct msghdr *, int);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "sendmsg");
  if (!lost(file)) return next(file, message, flags);
  ssize_t size = 0;
  for (size_t part = 0; part < message->msg_iovlen; part++) size += message->msg_iov[part].iov_len;
  return size;
}
