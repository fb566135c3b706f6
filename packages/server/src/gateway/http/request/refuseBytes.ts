import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errorBody } from '@chaintape/protocol'

// A peer that does not close its side in this time is cut off: it would hold a connection for nothing.
export const lingerMs = 1_000

/** Answers bytes that are not HTTP, or that come too slowly, on the bare socket, and ends the connection. */
export function refuseBytes(
  error: { code?: string },
  socket: Socket,
  { isHead }: { isHead: boolean },
): void {
  // The request before, whose answer is still under way.
  const { _httpMessage: answering } = socket as { _httpMessage?: ServerResponse | null }
  if (answering?.req.complete && socket.writable) {
    answering.once('finish', () => refuseBytes(error, socket, { isHead }))
    return
  }
  // After a part of an answer more bytes would be taken for the rest of it.
  if (!socket.writable || error.code === 'ECONNRESET' || answering?.headersSent) {
    socket.destroy()
    return
  }
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.end(rawErrorResponse(error.code, isHead))
}

const statusTexts: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

function rawErrorResponse(reason: string | undefined, isHead: boolean): string {
  const [status, sentence]: [number, string] =
    reason === 'HPE_HEADER_OVERFLOW'
      ? [431, 'The request headers are too large.']
      : reason === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'The request took too long to arrive.']
        : [400, 'The request is not valid HTTP.']
  const body = JSON.stringify(errorBody('bad_request', sentence))
  return [
    `HTTP/1.1 ${status} ${statusTexts[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    // Who asked by HEAD takes a body for the next answer.
    isHead ? '' : body,
  ].join('\r\n')
}
