import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** Longer than proxies keep theirs: a connection is best closed by the side that would use it next. */
export const keepAliveMs = 72_000

/** Fields in which Node remembers an answer's head. */
type SentHead = { _header: string | null; _headerSent: boolean }

const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1_000}\r\n\r\n`

let dateText = ''
let dateS = 0

/**
 * Whether head and body can leave as one piece of bytes. They can for nearly every answer: to an HTTP/1.1 request that is not
 * a HEAD, on a connection that stays open.
 */
export function canSendWhole(request: IncomingMessage, response: ServerResponse): boolean {
  return (
    response.shouldKeepAlive &&
    request.httpVersionMinor === 1 &&
    request.method !== 'HEAD' &&
    response.socket !== null &&
    !response.hasHeader('connection')
  )
}

/** The head that Node would write, in ASCII. `fields` are names and values in turn. */
export function wholeHead(status: number, fields: readonly string[]): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < fields.length; at += 2) head += `${fields[at]}: ${fields[at + 1]}\r\n`
  return `${head}Date: ${httpDate()}\r\n${keepAlive}`
}

/**
 * Sends head and body. Node would look at each field, join them, and hand head, body and an empty text to the kernel as three
 * pieces. There is no public way around that, so this writes two fields of Node's own. It makes a token's detail 1.2 times as
 * fast: 0.56 of what a bare node:http server answers in a processor second, 0.44 without (bench/README.md).
 *
 * Returns false where the reader has not taken all of it: the bytes must not change until the response closes.
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
