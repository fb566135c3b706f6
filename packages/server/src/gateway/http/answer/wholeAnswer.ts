import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** Longer than proxies keep theirs: who closes an idle connection is the one who would use it next. */
export const keepAliveMs = 72_000

/** What Node remembers of an answer's head. */
type SentHead = { _header: string | null; _headerSent: boolean }

const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1_000}\r\n\r\n`

let dateText = ''
let dateS = 0

/**
 * Can head and body leave as one piece of bytes? That is so for nearly every answer: of an HTTP/1.1 request that is not a
 * HEAD, on a connection that goes on.
 */
export function canSendWhole(request: IncomingMessage, response: ServerResponse): boolean {
  return (
    response.shouldKeepAlive &&
    request.httpVersionMinor === 1 &&
    request.method !== 'HEAD' &&
    response.socket !== null
  )
}

/** The head that Node would write, in ASCII. `fields` are names and values in turn. */
export function wholeHead(status: number, fields: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < fields.length; at += 2) head += `${fields[at]}: ${fields[at + 1]}\r\n`
  return `${head}Date: ${httpDate()}\r\n${keepAlive}`
}

/**
 * Sends head and body. Node itself would look at each field, join them, and hand head, body and an empty text to the
 * kernel as three pieces: a fifth of what it takes for a short answer. False: the reader has not taken all of it, and
 * the bytes must stay as they are until the response closes.
 */
export function sendWhole(response: ServerResponse, bytes: Buffer): boolean {
  const socket = response.socket as Socket
  const sent = response as unknown as SentHead
  sent._header = ' '
  sent._headerSent = true
  socket.write(bytes)
  const isTaken = socket.writableLength === 0
  response.end()
  return isTaken
}

function httpDate(): string {
  const nowMs = Date.now()
  const nowS = Math.floor(nowMs / 1_000)
  if (nowS !== dateS) {
    dateS = nowS
    dateText = new Date(nowMs).toUTCString()
  }
  return dateText
}
