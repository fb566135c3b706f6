import { STATUS_CODES } from 'node:http'
import { jsonType } from '../jsonBody.ts'

export type AnswerHead = {
  status: number
  /** Names and values in turn. */
  fields: readonly string[]
  sizeBytes: number
  isLast: boolean
}

/** Writes the heads of answers. ASCII. */
export type WriteHead = (head: AnswerHead) => string

/** `keepAliveMs`: how long a connection is kept for the next request. */
export function createHeadWriter(keepAliveMs: number): WriteHead {
  const lines = Object.fromEntries(
    Object.entries(STATUS_CODES).map(([status, text]) => [
      status,
      `HTTP/1.1 ${status} ${text}\r\ncontent-type: ${jsonType}\r\ncontent-length: `,
    ]),
  )
  const staying = `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n\r\n`
  const leaving = 'connection: close\r\n\r\n'
  let dateS = 0
  let date = ''

  /** Made once a second. */
  function dateLine(): string {
    const nowS = Math.floor(Date.now() / 1_000)
    if (nowS !== dateS) {
      dateS = nowS
      date = `date: ${new Date(nowS * 1_000).toUTCString()}\r\n`
    }
    return date
  }

  return ({ status, fields, sizeBytes, isLast }) => {
    let text = `${lines[status]}${sizeBytes}\r\n`
    for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`
    return `${text}${dateLine()}${isLast ? leaving : staying}`
  }
}
