// Shared parts of both local chains as programs: their arguments, reports to their parent, and
// exit.
import { DevnetError } from './errors.ts'
import type { DevnetArguments, DevnetMessage } from './message.ts'

/** Sends over IPC, or as a JSON line on standard output without a parent. */
export function tell(message: DevnetMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send && process.connected)
      process.send(message, undefined, undefined, () => resolve())
    else process.stdout.write(`${JSON.stringify(message)}\n`, () => resolve())
  })
}

export function parseArguments(text: string | undefined): DevnetArguments {
  let value: unknown
  try {
    value = JSON.parse(text ?? '')
  } catch (cause) {
    throw new DevnetError('DEVNET_ARGUMENTS', 'The first argument is not JSON.', { cause })
  }
  const { host, port } = (value ?? {}) as Partial<DevnetArguments>
  if (typeof host !== 'string' || typeof port !== 'number')
    throw new DevnetError('DEVNET_ARGUMENTS', 'The first argument needs host and port.')
  return value as DevnetArguments
}

export type Running = {
  exit(code: number, message?: DevnetMessage): Promise<never>
  fail(error: unknown): Promise<never>
  /** Registers a task to run before a requested exit. */
  onStop(stop: () => Promise<void>): void
}

/** Runs until its parent ends it or exits. */
export async function runProgram(start: (running: Running) => Promise<void>): Promise<void> {
  let stopping: (() => Promise<void>) | undefined
  let isStopping = false

  async function exit(code: number, message?: DevnetMessage): Promise<never> {
    if (message) await tell(message)
    process.exit(code)
  }

  const fail = (error: unknown) =>
    exit(1, { type: 'failed', message: error instanceof Error ? error.message : String(error) })

  async function stop(): Promise<void> {
    if (isStopping) return
    isStopping = true
    await stopping?.()
    await exit(0)
  }

  // Ctrl-C reaches the whole process group; the parent decides when the chain stops.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', stop)
  process.on('disconnect', stop)
  // The parent may have been killed while this program was loading: without this check it would
  // mine for ever.
  if (process.connected === false) await stop()
  const onStop = (action: () => Promise<void>) => {
    stopping = action
  }
  await start({ exit, fail, onStop }).catch(fail)
}
