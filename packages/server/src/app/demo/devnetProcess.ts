import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { DevnetFailedError, DevnetMissingError } from '../errors.ts'
import type { OnStartStep } from '../startStep.ts'

/** A program of the `@chaintape/devnet` package that runs a local chain. */
export type LocalProgram = {
  name: string
  /** File of the program, relative to the package's entry. */
  program: string
  /** Node.js options of the child process. */
  nodeOptions: readonly string[]
}

export type DevnetOptions = {
  chain: LocalProgram
  host: string
  port: number
  seed: number
  historyS: number
  /** Time between two blocks of the EVM chain. The Solana chain keeps its own pace. */
  blockMs: number
  blocksMax: number
  logger: Logger
  onStep?: OnStartStep | undefined
  /**
   * Called when a running chain ended by itself: it grew to its limit and needs a fresh start, or
   * it failed.
   */
  onEnd(reason: DevnetEnd): void
}

export type DevnetEnd = 'rollover' | 'failed'

export type DevnetProcess = {
  /** Resolves when the chain's RPC answers; rejects if the process ends before. */
  ready: Promise<ReadyDevnet>
  stop(): Promise<void>
}

export type ReadyDevnet = {
  rpcUrl: string
  wsUrl: string
  /** Profile plus the fields that only its chain kind needs. */
  profile: ChainProfile
  /** Identifies the chain: a restart with another hash is a different chain. */
  genesisHash: string
  /** Seconds of market time mined so far, and requested in total. */
  history(): { minedS: number; totalS: number }
}

/** Messages from the local chain's process to its parent. */
type DevnetMessage =
  | {
      type: 'ready'
      rpcUrl: string
      wsUrl: string
      profile: ChainProfile
      genesisHash: string
    }
  | { type: 'log'; message: string }
  | { type: 'history'; minedS: number; totalS: number }
  | { type: 'failed'; message: string }
  | { type: 'rollover' }

/** Starts the local chain as a child process. */
export function startDevnetProcess(options: DevnetOptions): DevnetProcess {
  const { chain, host, port, seed, historyS, blockMs, blocksMax, logger } = options
  const args = { host, port, seed: `${seed}`, historyS, blockMs, blocksMax }
  const file = join(dirname(findDevnet()), chain.program)
  const child = fork(file, [JSON.stringify(args)], {
    execArgv: [...chain.nodeOptions],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Ctrl-C in a terminal must not stop the chain while the service still reads from it.
    detached: true,
  })
  options.onStep?.({ title: 'Starting the local chain' })
  const progress = createDevnetProgress(logger, options.onStep)
  let history = { minedS: 0, totalS: historyS }
  let isStopping = false
  let end: DevnetEnd = 'failed'
  child.on('message', (message: DevnetMessage) => {
    if (message.type === 'history') {
      history = { minedS: message.minedS, totalS: message.totalS }
      progress(message.minedS, message.totalS)
    }
    if (message.type === 'log')
      logger.info({ msg: 'Local chain output', chain: chain.name, text: message.message })
    if (message.type === 'rollover') end = 'rollover'
  })

  async function start(): Promise<ReadyDevnet> {
    const { rpcUrl, wsUrl, genesisHash, profile } = await untilReady(child)
    // Wait for the exit: the next process needs the same port.
    child.once('exit', (code) => {
      if (isStopping) return
      if (end === 'failed') logger.error({ msg: 'Local chain ended', chain: chain.name, code })
      options.onEnd(end)
    })
    return { rpcUrl, wsUrl, genesisHash, profile, history: () => history }
  }

  return {
    ready: start(),
    async stop() {
      isStopping = true
      await stopChild(child)
    },
  }
}

function untilReady(child: ChildProcess): Promise<Extract<DevnetMessage, { type: 'ready' }>> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) =>
      reject(new DevnetFailedError({ reason: `it ended with code ${code}` }))
    child.once('error', (error) => reject(new DevnetFailedError({ reason: error.message })))
    child.once('exit', onExit)
    child.on('message', (message: DevnetMessage) => {
      if (message.type === 'failed') reject(new DevnetFailedError({ reason: message.message }))
      if (message.type !== 'ready') return
      child.off('exit', onExit)
      resolve(message)
    })
  })
}

/** Sends SIGTERM, and kills the process if it does not exit in time. */
async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const graceMs = 5_000
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    child.kill('SIGTERM')
  })
}

/** Reports how many seconds of market time before the present are mined. */
type DevnetProgress = (minedS: number, totalS: number) => void

// Log lines per history, since mining takes from seconds to minutes.
const stepCount = 4

/** Logs the progress of mining history. History that is mined at once is not logged. */
export function createDevnetProgress(
  logger: Logger,
  onStep: OnStartStep = () => {},
): DevnetProgress {
  let reached = -1
  return (minedS, totalS) => {
    if (minedS < totalS) onStep({ title: 'Mining history', done: minedS, total: totalS })
    const step = Math.floor((stepCount * minedS) / totalS)
    if (step <= reached || (reached < 0 && minedS >= totalS)) return
    reached = step
    logger.info({ msg: 'Mining history of the local chain', minedS, totalS })
  }
}

/** Module resolution; tests replace Node's own. */
type Resolution = {
  /**
   * Returns the path of a package's entry as resolved from this file; throws if it is not
   * installed.
   */
  entryOf(name: string): string
  /** Returns the folders in which Node looks for a package that `file` imports. */
  foldersOf(name: string, file: string): readonly string[]
}

const nodeResolution: Resolution = {
  entryOf: (name) => fileURLToPath(import.meta.resolve(name)),
  foldersOf: (name, file) => createRequire(file).resolve.paths(name) ?? [],
}

const packageName = '@chaintape/devnet'

/**
 * Returns the path of the local chain's program. Production installs omit the package, or have it
 * without its optional dependencies. Checking here gives a clear error instead of a process that
 * fails to start.
 */
export function findDevnet(resolution = nodeResolution): string {
  const entry = entryOf(resolution)
  const manifest = join(dirname(dirname(entry)), 'package.json')
  const { optionalDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    optionalDependencies?: Record<string, string>
  }
  const missing = Object.keys(optionalDependencies).filter(
    (name) => !resolution.foldersOf(name, entry).some((folder) => hasPackage(folder, name)),
  )
  if (missing.length > 0) throw new DevnetMissingError({ missing })
  return join(dirname(entry), 'main.js')
}

function entryOf(resolution: Resolution): string {
  try {
    return resolution.entryOf(packageName)
  } catch (cause) {
    throw new DevnetMissingError({ missing: [packageName], cause })
  }
}

/** Checks for the manifest, since the package may not export it to importers. */
function hasPackage(folder: string, name: string): boolean {
  try {
    readFileSync(join(folder, name, 'package.json'))
    return true
  } catch {
    return false
  }
}
