import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type HandleRequest, RequestLine } from './requestLine.ts'

export type SendLimits = {
  /** Time a reader has to take an answer. */
  sendMsMax: number
  /** Answers of all connections that wait for their readers. */
  unsentBytesMax: number
}

/** The connections of a server, each with its requests in line. */
export type RequestLines = {
  attach(server: Server): void
  enter(request: IncomingMessage, response: ServerResponse): void
  /** Is a request of the connection being answered? */
  isBusy(socket: object): boolean
  /** Gives the connection away, with what was sent and not parsed. */
  release(socket: object): Buffer | null
  /** Bytes that are no HTTP came: what follows them is not looked at. Tells whether a HEAD was being read. */
  stop(socket: object): { isHead: boolean }
  /** From now on each connection ends after what it has asked for. */
  close(): void
}

// How often in the time that readers have it is looked for those who do not read.
const checks = 4

export function createRequestLines(handle: HandleRequest, limits: SendLimits): RequestLines {
  const lines = new Map<object, RequestLine>()
  let isClosing = false
  const timer = setInterval(cutOffUnread, Math.min(1_000, Math.ceil(limits.sendMsMax / checks)))
  timer.unref()

  function open(socket: Socket): void {
    lines.set(socket, new RequestLine(socket, handle, () => isClosing))
    // An upgrade that is ignored opens the same socket again.
    socket.off('close', forget).once('close', forget)
  }

  function forget(this: Socket): void {
    lines.delete(this)
  }

  /** Who does not take its answer in time, and while too much waits those who have waited longest. */
  function cutOffUnread(): void {
    const nowMs = performance.now()
    const unread: { line: RequestLine; ms: number; bytes: number }[] = []
    let bytesSum = 0
    for (const line of lines.values()) {
      const bytes = line.unsentBytes
      if (bytes === 0) continue
      unread.push({ line, ms: line.unsentMs(nowMs), bytes })
      bytesSum += bytes
    }
    unread.sort((a, b) => b.ms - a.ms)
    for (const { line, ms, bytes } of unread) {
      if (ms < limits.sendMsMax && bytesSum <= limits.unsentBytesMax) break
      line.cutOff()
      bytesSum -= bytes
    }
  }

  return {
    attach: (server) => void server.on('connection', open),
    enter(request, response) {
      const line = lines.get(request.socket)
      // Without a connection of ours there is nothing to wait for.
      if (line === undefined) handle(request, response)
      else line.enter(request, response)
    },
    isBusy: (socket) => lines.get(socket)?.isBusy ?? false,
    release(socket) {
      const held = lines.get(socket)?.release() ?? null
      lines.delete(socket)
      return held
    },
    stop(socket) {
      const line = lines.get(socket)
      line?.stop()
      return { isHead: line?.isReadingHead === true }
    },
    close() {
      isClosing = true
      clearInterval(timer)
      for (const line of lines.values()) line.closeUnused()
    },
  }
}
