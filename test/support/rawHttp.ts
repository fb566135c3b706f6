import { connect, type Socket } from 'node:net'

export type RawAnswer = {
  /** HTTP status of each answer on the connection, in order. */
  statuses: number[]
  text: string
}

/** Writes bytes to a port. Returns everything received until the connection was closed. */
export async function sendRaw(port: number, parts: readonly (string | Buffer)[]) {
  const socket = connect(port, '127.0.0.1')
  const answer = answerOn(socket)
  for (const part of parts) socket.write(part)
  return await answer
}

async function answerOn(socket: Socket): Promise<RawAnswer> {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  // A refused client may be cut off while it still writes.
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('close', resolve))
  return { statuses: statusesOf(text), text }
}

function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

/**
 * Writes a little at a time until the server closes the connection. Returns everything received.
 */
export async function dripRaw(
  port: number,
  start: string,
  dripped: string,
  { allowHalfOpen = false }: { allowHalfOpen?: boolean } = {},
): Promise<RawAnswer> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
  const answer = answerOn(socket)
  socket.write(start)
  const timer = setInterval(() => drip(socket, dripped), dripMs)
  try {
    return await answer
  } finally {
    clearInterval(timer)
  }
}

// Short enough that the server's timeout between bytes never applies.
const dripMs = 20

function drip(socket: Socket, dripped: string): void {
  if (socket.writable) socket.write(dripped)
}
