import { connect, type Socket } from 'node:net'

export type RawAnswer = {
  /** Status of each answer on the connection, in order. */
  statuses: number[]
  text: string
}

/** Writes bytes to a port, and gives all that came until the connection was closed. */
export async function sendRaw(
  port: number,
  parts: readonly (string | Buffer)[],
  { allowHalfOpen = false }: { allowHalfOpen?: boolean } = {},
): Promise<RawAnswer> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
  const bytes: Buffer[] = []
  socket.on('data', (chunk) => bytes.push(chunk))
  // A refused peer may be cut off while it still writes.
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  for (const part of parts) socket.write(part)
  await closed
  const text = Buffer.concat(bytes).toString('latin1')
  return { statuses: statusesOf(text), text }
}

function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

/** Writes a byte whenever the one before is out, until the other side closes; gives what came. */
export async function dripRaw(port: number, start: string, dripped: string): Promise<RawAnswer> {
  const socket = connect({ port, host: '127.0.0.1' })
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(start)
  const timer = setInterval(() => drip(socket, dripped), dripMs)
  await closed
  clearInterval(timer)
  return { statuses: statusesOf(text), text }
}

// Often enough that no time between two bytes is long.
const dripMs = 20

function drip(socket: Socket, dripped: string): void {
  if (socket.writable) socket.write(dripped)
}
