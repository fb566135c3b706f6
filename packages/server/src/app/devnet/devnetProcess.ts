import { type ChildProcess, fork } from 'node:child_process'
import { dirname, join } from 'node:path'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { DevnetFailedError } from '../errors.ts'
import type { OnStep } from '../startStep.ts'
import { createDevnetProgress } from './devnetProgress.ts'
import { findDevnet } from './findDevnet.ts'

/** A program of the package of local chains. */
export type LocalProgram = {
  name: string
  /** Its file, beside that of the package. */
  program: string
  /** Of Node, for its process. */
  nodeOptions: readonly string[]
}

export type DevnetOptions = {
  chain: LocalProgram
  host: string
  port: number
  seed: number
  historyS: number
  /** Between two blocks of the EVM chain; that of Solana keeps its own pace. */
  blockMs: number
  blocksMax: number
  logger: Logger
  onStep?: OnStep | undefined
  /** The chain was ready and has ended by itself: it grew to its limit and wants a fresh start, or it broke. */
  onEnd(reason: DevnetEnd): void
}

export type DevnetEnd = 'rollover' | 'failed'

export type DevnetProcess = {
  /** Resolves when its RPC answers; rejects when it ends before that. */
  ready: Promise<ReadyDevnet>
  stop(): Promise<void>
}

export type ReadyDevnet = {
  rpcUrl: string
  wsUrl: string
  /** With what else its kind must be told. */
  profile: ChainProfile
  /** Another one is another chain. */
  genesisHash: string
  /** Seconds of market time already mined of the history asked for. */
  history(): { minedS: number; totalS: number }
}

/** What the local chain reports to its parent. */
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
    // A terminal's Ctrl-C must not reach it before the service has stopped reading from it.
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
      logger.info({ msg: 'Local chain said', chain: chain.name, text: message.message })
    if (message.type === 'rollover') end = 'rollover'
  })

  async function start(): Promise<ReadyDevnet> {
    const { rpcUrl, wsUrl, genesisHash, profile } = await untilReady(child)
    // Not before it is gone: its successor needs its port.
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

/** SIGTERM ends it in order; a process that does not end in time is killed. */
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
