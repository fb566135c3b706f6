// Decides when a server under test publishes: as fast as the client keeps up, or at a fixed rate.
// Over a control connection the client sends 8-byte messages: that it is ready (0), the number up
// to which all sockets have every push, and that it has enough (all bits set), which is answered
// with the number of pushes.
import { createServer } from 'node:net'
import { nowNs, pushMark } from './pushMark.ts'

export type Pace = {
  /** Pushes per event-loop turn. */
  perTick: number
  /** Maximum number of unacknowledged pushes. */
  window: number
  /** Null: as fast as possible. */
  ticksPerS: number | null
}

export type PacerOptions = Pace & {
  /** Publishes pushes for these marks, numbered from `firstSeq` on. */
  publish(marks: readonly string[], firstSeq: number): void
  /** Time from when a tick was due until its event-loop turn ended, including its writes. */
  onWritten?(ms: number): void
}

const go = 0n
const stop = 0xffff_ffff_ffff_ffffn
const nsPerMs = 1_000_000n

/** Starts the pacer. Returns the port of its control connection. */
export async function startPacer(options: PacerOptions): Promise<number> {
  const { perTick, window, ticksPerS, publish, onWritten } = options
  let sent = 0
  let acked = 0
  let isRunning = false
  let isWaiting = false

  function publishTick(timeNs: bigint): void {
    const marks = Array.from({ length: perTick }, (_, at) => pushMark(sent + 1 + at, timeNs))
    publish(marks, sent + 1)
    sent += perTick
    if (onWritten !== undefined)
      setImmediate(() => onWritten(Number(nowNs() - timeNs) / Number(nsPerMs)))
  }

  function runFree(): void {
    if (!isRunning) return
    isWaiting = sent + perTick > acked + window
    if (isWaiting) return
    publishTick(nowNs())
    setImmediate(runFree)
  }

  /** A tick that is late because the event loop was busy counts from when it was due. */
  function runAtRate(dueNs: bigint, everyNs: bigint): void {
    if (!isRunning) return
    if (nowNs() >= dueNs) {
      publishTick(dueNs)
      dueNs += everyNs
    }
    const ms = Number((dueNs - nowNs()) / nsPerMs)
    // A timer may fire up to a millisecond late, so the last millisecond is spent in event-loop
    // turns.
    if (ms > 1) setTimeout(runAtRate, ms - 1, dueNs, everyNs)
    else setImmediate(runAtRate, dueNs, everyNs)
  }

  function take(value: bigint): void {
    if (value === go) {
      isRunning = true
      if (ticksPerS === null) runFree()
      else runAtRate(nowNs(), BigInt(Math.round(1e9 / ticksPerS)))
      return
    }
    acked = Number(value)
    if (isRunning && isWaiting) runFree()
  }

  const server = createServer((socket) => {
    let rest = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data])
      for (; rest.length >= 8; rest = rest.subarray(8)) {
        const value = rest.readBigUInt64LE()
        if (value !== stop) take(value)
        else {
          isRunning = false
          const total = Buffer.alloc(8)
          total.writeBigUInt64LE(BigInt(sent))
          socket.write(total)
        }
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}
