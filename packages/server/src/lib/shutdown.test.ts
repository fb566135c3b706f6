import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { createLogger } from './logger.ts'
import { createShutdown, onStopSignals, stopThread } from './shutdown.ts'

const logger = createLogger('silent')

test('default: newest first, one at a time, once', async () => {
  const shutdown = createShutdown({ logger })
  const order: string[] = []
  for (const name of ['store', 'engine', 'gateway'])
    shutdown.add(name, async () => {
      order.push(`${name} begins`)
      await Promise.resolve()
      order.push(`${name} ended`)
    })
  expect(shutdown.signal.aborted).toBe(false)
  const outcomes = await Promise.all([shutdown.stop('SIGINT'), shutdown.stop('again')])
  expect(outcomes).toEqual(['clean', 'clean'])
  expect(shutdown.signal.reason).toBe('SIGINT')
  expect(order).toEqual(
    ['gateway', 'engine', 'store'].flatMap((name) => [`${name} begins`, `${name} ended`]),
  )
})

test('behavior: a removed callback does not run', async () => {
  const shutdown = createShutdown({ logger })
  const callback = vi.fn()
  shutdown.add('part', callback)()
  expect(await shutdown.stop('test')).toBe('clean')
  expect(callback).not.toHaveBeenCalled()
})

test('error: a failing part does not keep the others from stopping', async () => {
  const shutdown = createShutdown({ logger })
  const last = vi.fn()
  shutdown.add('last', last)
  shutdown.add('bad', () => Promise.reject(new Error('no')))
  expect(await shutdown.stop('test')).toBe('failed')
  expect(last).toHaveBeenCalledOnce()
})

test('error: a part that hangs is given up after the grace time', async () => {
  vi.useFakeTimers()
  try {
    const shutdown = createShutdown({ logger, graceMs: 10_000 })
    shutdown.add('hangs', () => new Promise(() => {}))
    const outcome = shutdown.stop('test')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await outcome).toBe('timedOut')
  } finally {
    vi.useRealTimers()
  }
})

test('behavior: the first signal stops, the second exits at once', () => {
  const source = new EventEmitter()
  const onStop = vi.fn()
  const exit = vi.fn()
  let nowMs = 5_000
  const off = onStopSignals(source, { onStop, exit, nowMs: () => nowMs })
  source.emit('SIGINT')
  expect(onStop).toHaveBeenCalledExactlyOnceWith('SIGINT')
  // One Ctrl-C may arrive more than once.
  nowMs += 500
  source.emit('SIGINT')
  expect(onStop).toHaveBeenCalledOnce()
  expect(exit).not.toHaveBeenCalled()
  nowMs += 1
  source.emit('SIGTERM')
  expect(exit).toHaveBeenCalledExactlyOnceWith(143)
  off()
  expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0)
})

test('behavior: a closed terminal stops, and never cuts a stop short', () => {
  const source = new EventEmitter()
  const onStop = vi.fn()
  const exit = vi.fn()
  let nowMs = 5_000
  onStopSignals(source, { onStop, exit, nowMs: () => nowMs })
  source.emit('SIGHUP')
  expect(onStop).toHaveBeenCalledExactlyOnceWith('SIGHUP')
  nowMs += 60_000
  source.emit('SIGHUP')
  expect(exit).not.toHaveBeenCalled()
  source.emit('SIGINT')
  expect(exit).toHaveBeenCalledExactlyOnceWith(130)
})

test('behavior: only the one that is announced says so, once at each end', async () => {
  const said: string[] = []
  const info = (fact: { msg: string }) => said.push(fact.msg)
  const heard = { ...logger, info } as unknown as typeof logger
  const outer = createShutdown({ logger: heard, isAnnounced: true })
  const inner = createShutdown({ logger: heard })
  outer.add('inner', async () => void (await inner.stop('stop')))
  await Promise.all([outer.stop('SIGINT'), outer.stop('end')])
  expect(said).toEqual(['Stopping', 'Stopped'])
})

/** A process with a thread that exits with code 7 on a signal. */
const exitingProgram = `
  import { Worker } from 'node:worker_threads'
  import { exitProcess } from '${new URL('./shutdown.ts', import.meta.url)}'
  process.once('SIGUSR2', () => exitProcess(7))
  new Worker(process.env.THREAD, { eval: true })
`

async function exitWith(thread: string) {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', exitingProgram]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, THREAD: thread },
    stdio: ['pipe', 'inherit', 'pipe'],
  })
  const [stderr, [code, signal]] = await Promise.all([
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null, string | null]>,
  ])
  child.stdin.end()
  return { stderr, code, signal }
}

test('behavior: a thread in an endless loop ends with the process, and the exit code holds', async () => {
  const loop = `process.kill(process.pid, 'SIGUSR2'); for (;;);`
  expect(await exitWith(loop)).toMatchObject({ code: 7, signal: null })
})

test('behavior: a thread in native code does not keep the process from ending', async () => {
  // A program that ends with this test and reports when it waits.
  const stuck = `
    import { execFileSync } from 'node:child_process'
    execFileSync('sh', ['-c', 'kill -USR2 $PPID; exec cat'], { stdio: ['inherit', 'ignore', 'ignore'] })
  `
  expect(await exitWith(stuck)).toEqual({
    stderr: 'A thread does not end: killing the process.\n',
    code: null,
    signal: 'SIGKILL',
  })
})

test('behavior: what stops after a thread stops though the thread does not end', async () => {
  const never = new Promise<number>(() => undefined)
  const worker = Object.assign(new EventEmitter(), {
    threadId: 1,
    postMessage: vi.fn(),
    terminate: vi.fn(() => never),
  })
  await stopThread(worker as unknown as Worker, 'stop')
  expect(worker.postMessage).toHaveBeenCalledExactlyOnceWith('stop')
  expect(worker.terminate).toHaveBeenCalledOnce()
})
