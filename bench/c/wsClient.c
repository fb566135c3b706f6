// Many WebSocket clients in one epoll loop, so that a server benchmark does not measure the client.
// Every push carries its number, its time and a checksum of both in its transaction hash. The client
// verifies each push, that no number is missing, duplicated or out of order on any socket, and that
// all sockets receive equal bytes. Protocol with the benchmark, in lines: prints
// {"event":"connected"}, waits for a line, subscribes, prints {"event":"subscribed"}, waits for a
// line, and prints {"event":"measuring"} and {"event":"result"}.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
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

#define READ_BYTES (1u << 18)
#define REST_BYTES_MAX (1u << 20)
#define RING 8192u
#define PAYLOAD_BYTES_MAX 4096u
#define CONNECTS_MAX 200u
#define SLOW_EVERY_NS 100000000ull
#define SLOW_RECEIVE_BYTES 4096
#define STUCK_SECONDS_MAX 120.0
#define SAMPLES_MAX (1u << 20)
#define HISTOGRAM_US (1u << 20)
#define GO 0ull
#define STOP UINT64_MAX

enum state { CLOSED, CONNECTING, UPGRADING, OPEN };

struct peer {
  int fd;
  enum state state;
  bool isSlow;
  uint32_t index;
  uint64_t openedNs;
  uint64_t lastSeq; // 0 before the first push of this connection
  uint32_t linesSent, linesAnswered;
  uint32_t markAt; // offset of the mark in the last push
  uint8_t *rest;   // the received part of an incomplete frame
  uint32_t restBytes;
  uint8_t *out; // bytes that the kernel has not accepted yet
  uint32_t outBytes, outAt, outRoom;
};

static struct {
  int port, control;
  uint32_t sockets, slow, fan, slowBytes;
  uint64_t stride, warmPushes;
  bool isOwn, isSocketIo, isSame;
  double seconds, warmSeconds;
  const char *path, *linesPath;
} options = {.stride = 1, .seconds = 3, .warmSeconds = 1, .path = "/?api_key=key", .slowBytes = 450};

// One slot for each push in flight: how many sockets have it, and the bytes of the first one.
struct place { uint64_t seq; uint32_t count, bytes; uint8_t payload[PAYLOAD_BYTES_MAX]; };

static struct peer *peers;
static struct place *ring;
static char **lines;
static uint32_t lineCount;
static int epollFd, controlFd = -1;
static uint8_t buffer[REST_BYTES_MAX + READ_BYTES];
static uint64_t doneSeq, ackedSeq, pushes, pushBytes, measuredPushes, slowPushes, closes, laggedNotices;
static uint32_t openCount, connectingCount, subscribedCount;
static bool isSubscribed, isMeasuring, mayEnd;
static uint32_t latenciesUs[SAMPLES_MAX], latencyCount;
static uint32_t deliveriesAtUs[HISTOGRAM_US];

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "wsClient: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  exit(1);
}

static uint64_t nowNs(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static double cpuSeconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void watch(struct peer *peer, uint32_t events, int operation) {
  struct epoll_event event = {.events = events, .data.ptr = peer};
  if (epoll_ctl(epollFd, operation, peer->fd, &event) != 0) fail("epoll_ctl: %s", strerror(errno));
}

// Slow sockets are read by a timer once they are subscribed; epoll still reports their end.
static void watchAgain(struct peer *peer) {
  uint32_t reading = peer->isSlow && peer->linesAnswered >= peer->linesSent && peer->linesSent > 0 ? 0 : EPOLLIN;
  watch(peer, reading | (peer->outBytes > peer->outAt ? EPOLLOUT : 0), EPOLL_CTL_MOD);
}

static int connectTo(int port, bool isSlow, int flags) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | flags, 0), one = 1, bytes = SLOW_RECEIVE_BYTES;
  if (fd < 0) fail("socket: %s", strerror(errno));
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  // Small receive buffer: otherwise the kernel would hold megabytes and hide the slow reader.
  if (isSlow) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS)
    fail("connect: %s", strerror(errno));
  return fd;
}

static void openPeer(struct peer *peer) {
  peer->fd = connectTo(options.port, peer->isSlow, SOCK_NONBLOCK);
  peer->state = CONNECTING;
  peer->openedNs = nowNs();
  peer->lastSeq = 0;
  peer->restBytes = peer->outBytes = peer->outAt = peer->linesSent = peer->linesAnswered = 0;
  connectingCount++;
  watch(peer, EPOLLOUT, EPOLL_CTL_ADD);
}

static void closePeer(struct peer *peer) {
  if (!peer->isSlow && !mayEnd) fail("socket %u was closed after push %" PRIu64, peer->index, peer->lastSeq);
  if (peer->state == OPEN) openCount--;
  else connectingCount--;
  close(peer->fd);
  peer->state = CLOSED;
  closes++;
}

static void flushOut(struct peer *peer) {
  while (peer->outAt < peer->outBytes) {
    ssize_t count = write(peer->fd, peer->out + peer->outAt, peer->outBytes - peer->outAt);
    if (count < 0) {
      if (errno == EAGAIN) break;
      if (peer->isSlow) return; // epoll reports the end of a slow socket
      fail("write: %s", strerror(errno));
    }
    peer->outAt += (uint32_t)count;
  }
  if (peer->outAt == peer->outBytes) peer->outAt = peer->outBytes = 0;
}

static uint8_t *outRoom(struct peer *peer, size_t bytes) {
  if (peer->outBytes + bytes > peer->outRoom) {
    peer->outRoom = peer->outBytes + (uint32_t)bytes;
    peer->out = realloc(peer->out, peer->outRoom);
  }
  uint8_t *at = peer->out + peer->outBytes;
  peer->outBytes += (uint32_t)bytes;
  return at;
}

// RFC 6455, 5.3: a client masks each frame with another key.
static void sendFrame(struct peer *peer, uint8_t opcode, const void *payload, size_t bytes) {
  static uint32_t seed = 2463534242u;
  if (bytes > 65535) fail("a message of %zu bytes", bytes);
  seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
  uint8_t mask[4];
  memcpy(mask, &seed, 4);
  size_t headBytes = bytes < 126 ? 6 : 8;
  uint8_t *frame = outRoom(peer, headBytes + bytes);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (bytes < 126 ? (uint8_t)bytes : 126);
  if (bytes >= 126) frame[2] = (uint8_t)(bytes >> 8), frame[3] = (uint8_t)bytes;
  memcpy(frame + headBytes - 4, mask, 4);
  for (size_t at = 0; at < bytes; at++) frame[headBytes + at] = ((const uint8_t *)payload)[at] ^ mask[at & 3];
}

static void sendUpgrade(struct peer *peer) {
  char text[512];
  int bytes = snprintf(text, sizeof text,
                       "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                       "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                       options.path, options.port);
  memcpy(outRoom(peer, (size_t)bytes), text, (size_t)bytes);
  flushOut(peer);
  peer->state = UPGRADING;
  watchAgain(peer);
}

// A line may have one %d, which is replaced by the number of the socket.
static void subscribe(struct peer *peer) {
  uint32_t first = options.isOwn ? peer->index % lineCount : 0;
  uint32_t count = options.isOwn ? 1 : lineCount;
  char text[65536];
  for (uint32_t at = first; at < first + count; at++) {
    const char *hole = strstr(lines[at], "%d");
    int bytes = hole == NULL ? snprintf(text, sizeof text, "%s", lines[at])
                             : snprintf(text, sizeof text, "%.*s%u%s", (int)(hole - lines[at]), lines[at],
                                        peer->index + 1, hole + 2);
    sendFrame(peer, 1, text, (size_t)bytes);
    peer->linesSent++;
  }
  flushOut(peer);
  watchAgain(peer);
}

static void joined(struct peer *peer) {
  openCount++;
  connectingCount--;
  // A reconnected socket subscribes at once; at the start all sockets wait for each other.
  if (isSubscribed) subscribe(peer);
}

static uint64_t hex(const uint8_t *text, int digits) {
  uint64_t value = 0;
  for (int at = 0; at < digits; at++) {
    uint8_t digit = text[at];
    value = value << 4 | (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  return value;
}

static const char markText[] = "\"transaction\":\"0x";
#define MARK_TEXT_BYTES (sizeof markText - 1)

static const uint8_t *findMark(struct peer *peer, const uint8_t *payload, uint32_t bytes) {
  if (peer->markAt + MARK_TEXT_BYTES + 64 <= bytes && memcmp(payload + peer->markAt, markText, MARK_TEXT_BYTES) == 0)
    return payload + peer->markAt + MARK_TEXT_BYTES;
  const uint8_t *found = memmem(payload, bytes, markText, MARK_TEXT_BYTES);
  if (found == NULL || found + MARK_TEXT_BYTES + 64 > payload + bytes) return NULL;
  peer->markAt = (uint32_t)(found - payload);
  return found + MARK_TEXT_BYTES;
}

static void tell(uint64_t value) {
  if (controlFd >= 0 && write(controlFd, &value, 8) != 8) fail("control: %s", strerror(errno));
}

// All sockets must receive the same bytes, except for the request id at the beginning.
static void compare(struct peer *peer, struct place *place, const uint8_t *payload, uint32_t bytes) {
  const uint8_t *comma = options.isSocketIo ? payload : memchr(payload, ',', bytes);
  if (comma == NULL) fail("a push without a comma");
  uint32_t left = bytes - (uint32_t)(comma - payload);
  if (left > PAYLOAD_BYTES_MAX) fail("a push of %u bytes", bytes);
  if (place->count == 0) {
    memcpy(place->payload, comma, left);
    place->bytes = left;
    uint8_t last = payload[bytes - 1];
    if (last != (options.isSocketIo ? ']' : '}')) fail("a push that ends with '%c'", last);
  } else if (place->bytes != left || memcmp(place->payload, comma, left) != 0)
    fail("socket %u got another push %" PRIu64 " than the first", peer->index, place->seq);
}

static void takePush(struct peer *peer, const uint8_t *payload, uint32_t bytes, const uint8_t *mark) {
  uint64_t seq = hex(mark, 16), timeNs = hex(mark + 16, 16);
  uint32_t check = 2166136261u;
  for (int at = 0; at < 32; at++) check = (check ^ mark[at]) * 16777619u;
  for (int at = 32; at < 64; at += 8)
    if (hex(mark + at, 8) != check) fail("push %" PRIu64 " is damaged", seq);
  if (peer->lastSeq != 0 && seq != peer->lastSeq + options.stride)
    fail("socket %u: push %" PRIu64 " after %" PRIu64, peer->index, seq, peer->lastSeq);
  peer->lastSeq = seq;
  if (peer->isSlow) {
    slowPushes++;
    return;
  }
  pushes++;
  pushBytes += bytes;
  if (seq <= doneSeq || seq > doneSeq + RING) fail("push %" PRIu64 " while %" PRIu64 " are done", seq, doneSeq);
  struct place *place = &ring[seq % RING];
  if (place->seq != seq) place->seq = seq, place->count = 0;
  if (options.isSame) compare(peer, place, payload, bytes);
  place->count++;
  uint64_t us = (nowNs() - timeNs) / 1000;
  if (isMeasuring) {
    measuredPushes++;
    deliveriesAtUs[us < HISTOGRAM_US ? us : HISTOGRAM_US - 1]++;
    if (place->count == options.fan && latencyCount < SAMPLES_MAX) latenciesUs[latencyCount++] = (uint32_t)us;
  }
  if (place->count > options.fan) fail("push %" PRIu64 " came too often", seq);
  while (ring[(doneSeq + 1) % RING].seq == doneSeq + 1 && ring[(doneSeq + 1) % RING].count == options.fan) doneSeq++;
}

static void takeAnswer(struct peer *peer, const uint8_t *payload, uint32_t bytes) {
  if (memmem(payload, bytes, "\"lagged\"", 8) != NULL) {
    laggedNotices++;
    return;
  }
  if (memmem(payload, bytes, "\"error\"", 7) != NULL) fail("refused: %.*s", (int)bytes, payload);
  peer->linesAnswered++;
  uint32_t wanted = options.isOwn ? 1 : lineCount;
  if (peer->linesAnswered != wanted) return;
  subscribedCount++;
  watchAgain(peer);
}

static void takeText(struct peer *peer, const uint8_t *payload, uint32_t bytes) {
  const uint8_t *mark = findMark(peer, payload, bytes);
  if (mark != NULL) {
    takePush(peer, payload, bytes, mark);
    return;
  }
  if (!options.isSocketIo) takeAnswer(peer, payload, bytes);
  else if (payload[0] == '0') sendFrame(peer, 1, "40", 2);
  else if (payload[0] == '2') sendFrame(peer, 1, "3", 1);
  else if (bytes >= 2 && memcmp(payload, "40", 2) == 0) joined(peer);
  else takeAnswer(peer, payload, bytes);
  flushOut(peer);
}

static void takeFrame(struct peer *peer, uint8_t bits, const uint8_t *payload, uint32_t bytes) {
  if (bits == 0x81) takeText(peer, payload, bytes);
  else if (bits == 0x89) sendFrame(peer, 10, payload, bytes), flushOut(peer);
  else if (bits == 0x88 && peer->isSlow) return;
  else if (bits == 0x88 && !mayEnd) fail("socket %u: close %u %.*s", peer->index, payload[0] << 8 | payload[1], (int)bytes - 2, payload + 2);
  else if (bits != 0x8a && bits != 0x88) fail("a frame that begins with %02x", bits);
}

// Returns the number of bytes that belong to complete frames.
static uint32_t takeFrames(struct peer *peer, const uint8_t *bytes, uint32_t count) {
  uint32_t at = 0;
  while (count - at >= 2) {
    uint32_t head = 2;
    uint64_t length = bytes[at + 1];
    if (length == 126) {
      if (count - at < 4) break;
      length = (uint64_t)bytes[at + 2] << 8 | bytes[at + 3], head = 4;
    } else if (length == 127) {
      if (count - at < 10) break;
      length = 0, head = 10;
      for (int byte = 2; byte < 10; byte++) length = length << 8 | bytes[at + (uint32_t)byte];
    }
    if (length > REST_BYTES_MAX - 16) fail("a frame of %" PRIu64 " bytes", length);
    if (count - at < head + length) break;
    takeFrame(peer, bytes[at], bytes + at + head, (uint32_t)length);
    at += head + (uint32_t)length;
  }
  return at;
}

static uint32_t takeUpgrade(struct peer *peer, uint8_t *bytes, uint32_t count) {
  const uint8_t *end = memmem(bytes, count, "\r\n\r\n", 4);
  if (end == NULL) return 0;
  uint32_t headBytes = (uint32_t)(end - bytes) + 4;
  bool isGood = memcmp(bytes, "HTTP/1.1 101 ", 13) == 0 &&
                memmem(bytes, headBytes, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 28) != NULL;
  if (!isGood) fail("refused: %.*s", (int)count, bytes);
  peer->state = OPEN;
  if (!options.isSocketIo) joined(peer);
  return headBytes;
}

static void readPeer(struct peer *peer, uint32_t bytesMax) {
  if (peer->restBytes > 0) memcpy(buffer, peer->rest, peer->restBytes);
  ssize_t got = read(peer->fd, buffer + peer->restBytes, bytesMax);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) {
    closePeer(peer);
    return;
  }
  uint32_t count = peer->restBytes + (uint32_t)got, at = 0;
  if (peer->state == UPGRADING) at = takeUpgrade(peer, buffer, count);
  if (peer->state == OPEN) at += takeFrames(peer, buffer + at, count - at);
  peer->restBytes = count - at;
  if (peer->restBytes > REST_BYTES_MAX) fail("a frame of %u bytes", peer->restBytes);
  if (peer->restBytes == 0) return;
  peer->rest = realloc(peer->rest, peer->restBytes);
  memcpy(peer->rest, buffer + at, peer->restBytes);
}

static void handle(struct peer *peer, uint32_t events) {
  if (peer->state == CONNECTING) {
    int error = 0;
    socklen_t bytes = sizeof error;
    getsockopt(peer->fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
    if (error != 0) fail("connect: %s", strerror(error));
    sendUpgrade(peer);
    return;
  }
  if (events & EPOLLOUT) {
    flushOut(peer);
    if (peer->outBytes == 0) watchAgain(peer);
  }
  if (events & (EPOLLERR | EPOLLHUP) && peer->isSlow) closePeer(peer);
  else if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) readPeer(peer, READ_BYTES);
}

static void pollOnce(int timeoutMs) {
  struct epoll_event events[512];
  int count = epoll_wait(epollFd, events, 512, timeoutMs);
  if (count < 0 && errno != EINTR) fail("epoll_wait: %s", strerror(errno));
  for (int at = 0; at < count; at++) handle(events[at].data.ptr, events[at].events);
}

static uint64_t stuckNs(void) {
  double seconds = options.seconds * 2 / 3;
  return (uint64_t)((seconds < STUCK_SECONDS_MAX ? seconds : STUCK_SECONDS_MAX) * 1e9);
}

// Half of the slow sockets read a little at intervals, the others never; a closed one reconnects. A
// socket that never reads does not notice that it was closed, so it disconnects after a while.
static void driveSlow(void) {
  static uint64_t dueNs;
  uint64_t ns = nowNs();
  if (options.slow == 0 || ns < dueNs) return;
  dueNs = ns + SLOW_EVERY_NS;
  for (uint32_t at = 0; at < options.slow; at++) {
    struct peer *peer = &peers[at];
    if (peer->state == CLOSED) {
      if (connectingCount < CONNECTS_MAX) openPeer(peer);
    } else if (peer->state != OPEN || peer->linesAnswered == 0) continue;
    else if (at % 2 == 0) readPeer(peer, options.slowBytes);
    else if (ns - peer->openedNs > stuckNs()) closePeer(peer);
  }
}

static void waitForLine(void) {
  char line[64];
  if (fgets(line, sizeof line, stdin) == NULL) exit(0);
}

static void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  printf("\n");
  fflush(stdout);
}

static void connectAll(void) {
  uint32_t next = 0, total = options.sockets + options.slow;
  uint64_t startNs = nowNs();
  while (openCount < total) {
    while (next < total && connectingCount < CONNECTS_MAX) openPeer(&peers[next++]);
    pollOnce(1000);
  }
  say("{\"event\":\"connected\",\"ms\":%.1f}", (double)(nowNs() - startNs) / 1e6);
}

static void subscribeAll(void) {
  uint32_t total = options.sockets + options.slow;
  uint64_t startNs = nowNs();
  isSubscribed = true;
  for (uint32_t at = 0; lineCount > 0 && at < total; at++) subscribe(&peers[at]);
  while (lineCount > 0 && subscribedCount < total) pollOnce(1000);
  say("{\"event\":\"subscribed\",\"ms\":%.1f}", (double)(nowNs() - startNs) / 1e6);
}

static int byValue(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

static double latencyMs(double share) {
  if (latencyCount == 0) return 0;
  return latenciesUs[(uint32_t)((latencyCount - 1) * share)] / 1e3;
}

static double deliveryMs(double share) {
  uint64_t seen = 0, wanted = (uint64_t)((double)measuredPushes * share);
  for (uint32_t us = 0; us < HISTOGRAM_US; us++)
    if ((seen += deliveriesAtUs[us]) > wanted) return us / 1e3;
  return HISTOGRAM_US / 1e3;
}

static void turn(void) {
  pollOnce(options.slow > 0 ? 20 : 1000);
  driveSlow();
  if (doneSeq > ackedSeq) tell(ackedSeq = doneSeq);
}

// The server reports the number of its pushes; all of them must arrive.
static void drain(void) {
  tell(STOP);
  uint64_t sent, byNs = nowNs() + 20000000000ull;
  if (read(controlFd, &sent, 8) != 8) fail("the server did not say what it sent");
  while (doneSeq < sent) {
    if (nowNs() > byNs) fail("%" PRIu64 " of %" PRIu64 " pushes arrived everywhere", doneSeq, sent);
    pollOnce(100);
  }
  if (pushes != sent * options.fan) fail("%" PRIu64 " pushes, not %" PRIu64, pushes, sent * options.fan);
}

static void measure(void) {
  controlFd = connectTo(options.control, false, 0);
  tell(GO);
  while (doneSeq == 0) turn();
  uint64_t startNs = nowNs(), warmNs = (uint64_t)(options.warmSeconds * 1e9);
  while (nowNs() - startNs < warmNs || doneSeq < options.warmPushes) turn();
  say("{\"event\":\"measuring\"}");
  isMeasuring = true;
  double cpu = cpuSeconds();
  startNs = nowNs();
  uint64_t endNs = startNs + (uint64_t)(options.seconds * 1e9);
  while (nowNs() < endNs) turn();
  isMeasuring = false;
  double seconds = (double)(nowNs() - startNs) / 1e9;
  cpu = cpuSeconds() - cpu;
  say("{\"event\":\"measured\"}");
  drain();
  qsort(latenciesUs, latencyCount, sizeof latenciesUs[0], byValue);
  say("{\"event\":\"result\",\"seconds\":%.4f,\"deliveries\":%" PRIu64 ",\"checked\":%" PRIu64 ",\"bytes\":%" PRIu64
      ",\"cpuS\":%.3f,\"lastMs\":{\"count\":%u,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f},\"eachMs\":{\"p50\":%.3f,\"p99\":%.3f}"
      ",\"slow\":{\"pushes\":%" PRIu64 ",\"closes\":%" PRIu64 ",\"laggedNotices\":%" PRIu64 "}}",
      seconds, measuredPushes, pushes, pushBytes, cpu, latencyCount, latencyMs(0.5), latencyMs(0.99), latencyMs(1),
      deliveryMs(0.5), deliveryMs(0.99), slowPushes, closes, laggedNotices);
}

static void readLines(void) {
  FILE *file = fopen(options.linesPath, "r");
  if (file == NULL) fail("%s: %s", options.linesPath, strerror(errno));
  char *line = NULL;
  size_t room = 0;
  for (ssize_t bytes; (bytes = getline(&line, &room, file)) > 0;) {
    line[bytes - 1] = 0;
    lines = realloc(lines, (lineCount + 1) * sizeof *lines);
    lines[lineCount++] = strdup(line);
  }
  fclose(file);
}

static void readOptions(int count, char **arguments) {
  static const struct option names[] = {
      {"port", 1, 0, 'p'}, {"control", 1, 0, 'c'}, {"sockets", 1, 0, 'n'}, {"slow", 1, 0, 's'},
      {"fan", 1, 0, 'f'},  {"stride", 1, 0, 't'},  {"lines", 1, 0, 'l'},   {"path", 1, 0, 'u'},
      {"own", 0, 0, 'o'},  {"socketio", 0, 0, 'i'}, {"same", 0, 0, 'e'},   {"seconds", 1, 0, 'd'},
      {"warm", 1, 0, 'w'}, {"slowBytes", 1, 0, 'b'}, {"warmPushes", 1, 0, 'x'}, {0, 0, 0, 0}};
  for (int name; (name = getopt_long(count, arguments, "", names, NULL)) != -1;) switch (name) {
      case 'p': options.port = atoi(optarg); break;
      case 'c': options.control = atoi(optarg); break;
      case 'n': options.sockets = (uint32_t)atoi(optarg); break;
      case 's': options.slow = (uint32_t)atoi(optarg); break;
      case 'f': options.fan = (uint32_t)atoi(optarg); break;
      case 't': options.stride = strtoull(optarg, NULL, 10); break;
      case 'l': options.linesPath = optarg; break;
      case 'u': options.path = optarg; break;
      case 'o': options.isOwn = true; break;
      case 'i': options.isSocketIo = true; break;
      case 'e': options.isSame = true; break;
      case 'd': options.seconds = atof(optarg); break;
      case 'w': options.warmSeconds = atof(optarg); break;
      case 'b': options.slowBytes = (uint32_t)atoi(optarg); break;
      case 'x': options.warmPushes = strtoull(optarg, NULL, 10); break;
      default: exit(2);
    }
  if (options.fan == 0) options.fan = options.sockets;
}

int main(int count, char **arguments) {
  readOptions(count, arguments);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (options.linesPath != NULL) readLines();
  uint32_t total = options.sockets + options.slow;
  peers = calloc(total, sizeof *peers);
  ring = calloc(RING, sizeof *ring);
  for (uint32_t at = 0; at < total; at++) peers[at] = (struct peer){.index = at, .isSlow = at < options.slow};
  epollFd = epoll_create1(0);
  connectAll();
  waitForLine();
  subscribeAll();
  waitForLine();
  measure();
  return 0;
}
