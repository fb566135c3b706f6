// The upper limit for a server on one core: an epoll loop that writes ready bytes, one write() per
// socket and tick. It accepts the one key that wsClient sends, acknowledges every message, and then
// sends a file's payload, in which it overwrites the mark (number, time, checksum) for each push.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PAYLOAD_BYTES_MAX 65535u
#define SOCKETS_MAX 65536
#define GO 0ull
#define STOP UINT64_MAX

struct peer {
  int fd;
  bool isOpen;
  uint8_t *waiting; // bytes that the kernel has not accepted yet
  size_t waitingBytes, waitingAt;
};

static struct peer *peers[SOCKETS_MAX];
static int peerCount, epollFd, listenFd, controlListenFd, controlFd = -1;
static uint64_t sentSeq, ackedSeq, window, perTick;
static uint64_t everyNs, dueNs; // tick interval, 0 for as fast as the client keeps up; time of the next tick
static bool isRunning;
static uint8_t *frames;
static size_t frameBytes, markAt;

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "epollServer: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  exit(1);
}

static int listenOn(int *port) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, bytes) != 0 || listen(fd, 4096) != 0)
    fail("listen: %s", strerror(errno));
  getsockname(fd, (struct sockaddr *)&address, &bytes);
  *port = ntohs(address.sin_port);
  return fd;
}

static void watch(int fd, void *data, uint32_t events, int operation) {
  struct epoll_event event = {.events = events, .data.ptr = data};
  if (epoll_ctl(epollFd, operation, fd, &event) != 0) fail("epoll_ctl: %s", strerror(errno));
}

static void loadFrames(const char *path) {
  static uint8_t payload[PAYLOAD_BYTES_MAX];
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail("%s: %s", path, strerror(errno));
  size_t bytes = fread(payload, 1, sizeof payload, file);
  fclose(file);
  const char *text = "\"transaction\":\"0x";
  uint8_t *mark = memmem(payload, bytes, text, strlen(text));
  if (mark == NULL || bytes < 126) fail("no mark in %zu bytes", bytes);
  markAt = 4 + (size_t)(mark - payload) + strlen(text);
  frameBytes = 4 + bytes;
  frames = malloc(frameBytes * perTick);
  for (uint64_t at = 0; at < perTick; at++) {
    uint8_t *frame = frames + at * frameBytes;
    frame[0] = 0x81, frame[1] = 126, frame[2] = (uint8_t)(bytes >> 8), frame[3] = (uint8_t)bytes;
    memcpy(frame + 4, payload, bytes);
  }
}

static uint64_t nowNs(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static void writeMark(uint8_t *at, uint64_t seq, uint64_t timeNs) {
  char text[65];
  snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, seq, timeNs);
  uint32_t check = 2166136261u;
  for (int byte = 0; byte < 32; byte++) check = (check ^ (uint8_t)text[byte]) * 16777619u;
  for (int byte = 32; byte < 64; byte += 8) snprintf(text + byte, 9, "%08x", check);
  memcpy(at, text, 64);
}

static void flushWaiting(struct peer *peer) {
  while (peer->waitingAt < peer->waitingBytes) {
    ssize_t count = write(peer->fd, peer->waiting + peer->waitingAt, peer->waitingBytes - peer->waitingAt);
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) fail("write: %s", strerror(errno));
    peer->waitingAt += (size_t)count;
  }
  peer->waitingAt = peer->waitingBytes = 0;
  watch(peer->fd, peer, EPOLLIN, EPOLL_CTL_MOD);
}

static void sendBytes(struct peer *peer, const void *bytes, size_t count) {
  ssize_t taken = 0;
  if (peer->waitingBytes == 0) {
    taken = write(peer->fd, bytes, count);
    if (taken == (ssize_t)count) return;
    if (taken < 0 && errno != EAGAIN) fail("write: %s", strerror(errno));
    if (taken < 0) taken = 0;
    watch(peer->fd, peer, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
  }
  size_t left = count - (size_t)taken;
  peer->waiting = realloc(peer->waiting, peer->waitingBytes + left);
  memcpy(peer->waiting + peer->waitingBytes, (const uint8_t *)bytes + taken, left);
  peer->waitingBytes += left;
}

static void publish(uint64_t timeNs) {
  for (uint64_t at = 0; at < perTick; at++)
    writeMark(frames + at * frameBytes + markAt, ++sentSeq, timeNs);
  for (int at = 0; at < peerCount; at++) sendBytes(peers[at], frames, frameBytes * perTick);
}

static void readPeer(struct peer *peer) {
  static char bytes[65536];
  static const char upgrade[] =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
  static const char answer[] = "\x81\x2c{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"ok\"}      ";
  ssize_t count = read(peer->fd, bytes, sizeof bytes);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) exit(0); // the client has closed the connection
  if (peer->isOpen) {
    sendBytes(peer, answer, sizeof answer - 1);
    return;
  }
  // wsClient sends its whole request in one write, so it arrives in one read.
  if (memmem(bytes, (size_t)count, "dGhlIHNhbXBsZSBub25jZQ==", 24) == NULL) fail("not the key of wsClient");
  sendBytes(peer, upgrade, sizeof upgrade - 1);
  peer->isOpen = true;
}

static void readControl(void) {
  uint64_t values[64];
  ssize_t count = read(controlFd, values, sizeof values);
  if (count <= 0) exit(0);
  for (ssize_t at = 0; at < count / 8; at++) {
    if (values[at] == GO) {
      isRunning = true;
      dueNs = nowNs();
    } else if (values[at] == STOP) {
      isRunning = false;
      if (write(controlFd, &sentSeq, 8) != 8) fail("control: %s", strerror(errno));
    } else ackedSeq = values[at];
  }
}

static void acceptAll(void) {
  for (int fd; (fd = accept4(listenFd, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (peerCount == SOCKETS_MAX) fail("too many sockets");
    struct peer *peer = calloc(1, sizeof *peer);
    peer->fd = fd;
    peers[peerCount++] = peer;
    watch(fd, peer, EPOLLIN, EPOLL_CTL_ADD);
  }
}

/** How long epoll may sleep before the next tick. The last millisecond is a busy wait, as in the other servers. */
static int sleepMs(void) {
  if (!isRunning || sentSeq + perTick > ackedSeq + window) return -1;
  uint64_t now = nowNs();
  if (everyNs == 0 || dueNs < now + 2000000ull) return 0;
  return (int)((dueNs - now) / 1000000ull) - 1;
}

/** The latency of a late tick counts from its due time. */
static void publishDue(void) {
  if (!isRunning || sentSeq + perTick > ackedSeq + window) return;
  if (everyNs == 0) publish(nowNs());
  else if (nowNs() >= dueNs) {
    publish(dueNs);
    dueNs += everyNs;
  }
}

int main(int count, char **arguments) {
  if (count != 4 && count != 5) fail("usage: epollServer PAYLOAD_FILE EVENTS_PER_TICK WINDOW [TICKS_PER_S]");
  if (count == 5) everyNs = 1000000000ull / strtoull(arguments[4], NULL, 10);
  perTick = strtoull(arguments[2], NULL, 10);
  window = strtoull(arguments[3], NULL, 10);
  loadFrames(arguments[1]);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  epollFd = epoll_create1(0);
  int port, control;
  listenFd = listenOn(&port);
  controlListenFd = listenOn(&control);
  watch(listenFd, &listenFd, EPOLLIN, EPOLL_CTL_ADD);
  watch(controlListenFd, &controlListenFd, EPOLLIN, EPOLL_CTL_ADD);
  printf("{\"event\":\"ready\",\"port\":%d,\"control\":%d}\n", port, control);
  fflush(stdout);
  for (;;) {
    struct epoll_event events[512];
    int ready = epoll_wait(epollFd, events, 512, sleepMs());
    for (int at = 0; at < ready; at++) {
      void *data = events[at].data.ptr;
      if (data == &listenFd) acceptAll();
      else if (data == &controlFd) readControl();
      else if (data == &controlListenFd) {
        controlFd = accept(controlListenFd, NULL, NULL);
        watch(controlFd, &controlFd, EPOLLIN, EPOLL_CTL_ADD);
      } else {
        if (events[at].events & EPOLLOUT) flushWaiting(data);
        if (events[at].events & EPOLLIN) readPeer(data);
      }
    }
    publishDue();
  }
}
