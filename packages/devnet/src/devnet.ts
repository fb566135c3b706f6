import { dirname } from 'node:path'
import { type Checkpoints, createCheckpoints, type MakeCheckpoint } from './checkpoints.ts'
import { type Deployment, profileOf } from './contracts/deployment.ts'
import type { Wallets } from './contracts/wallets.ts'
import { createMarket } from './market/market.ts'
import { createMiner } from './miner.ts'
import { createCollectGarbage } from './node/collectGarbage.ts'
import type { Journal } from './node/journal.ts'
import type { Transaction } from './node/journalRecord.ts'
import type { Request } from './node/provider.ts'
import { openRpcServer } from './node/rpcServer.ts'
import { removeCheckpoints } from './node/state/checkpoint.ts'
import { openChain } from './openChain.ts'
import { chainId, type DevnetProfile } from './profile.ts'
import { type RunMarketOptions, runMarket } from './runMarket.ts'

export type DevnetOptions = {
  /** @default '127.0.0.1' */
  host?: string | undefined
  /** 0 takes any free port. @default 0 */
  port?: number | undefined
  /** Where the journal is kept, in `devnet/journal`; without it the chain ends with the process. */
  dataDir?: string | undefined
  /** Decides wallets, tokens and what bots do; a chain that is replayed keeps its own. @default 'chaintape' */
  seed?: string | undefined
  /** Market time mined at the start of a new chain. @default 0 */
  historyS?: number | undefined
  /** List tokens and let bots trade them. @default true */
  isMarket?: boolean | undefined
  /** Between two blocks of a chain that mines by itself; under 1,000, blocks share a second. @default 1000 */
  blockMs?: number | undefined
  /** Mine by itself: history first, then a block each `blockMs`. Otherwise only `mine` does. @default false */
  isLive?: boolean | undefined
  /** Saves states of a live chain that has a data directory; without it memory, and the time of a start, grow with each block. */
  makeCheckpoint?: MakeCheckpoint | undefined
  /** At this many the chain rolls over. @default 20_000 */
  blocksMax?: number | undefined
  /** Rolls over, too, when the process takes this much memory. @default 3 GiB */
  rssBytesMax?: number | undefined
  /** @default the system clock */
  nowS?: (() => number) | undefined
  onLog?: ((message: string) => void) | undefined
  onReplay?: ((minedBlocks: number, totalBlocks: number) => void) | undefined
  onHistory?: ((minedS: number, totalS: number) => void) | undefined
  /** The chain has reached a limit: mining has ended, the journal is gone, the next start is a new chain. */
  onRollover?: (() => void) | undefined
  /** Mining by itself failed and has ended. */
  onFailed?: ((error: unknown) => void) | undefined
}

export type Devnet = {
  rpcUrl: string
  wsUrl: string
  chainId: number
  /** Tells one chain from its successor after a rollover. */
  genesisHash: string
  /** True when an earlier chain goes on. */
  isReplayed: boolean
  profile: DevnetProfile
  deployment: Deployment
  wallets: Wallets
  request: Request
  /** From a wallet of this chain; waits for the next block. */
  send(transaction: Transaction): Promise<string>
  /** Mines all that is pending; resolves with the hash. */
  mine(timestampS?: number): Promise<string>
  /** A block of the bots. */
  mineMarket(timestampS?: number): Promise<string>
  /** Time of the next block that is mined without one. */
  setNextTime(timestampS: number): void
  snapshot(): Promise<string>
  /** Takes back every block since the snapshot. */
  revert(snapshotId: string): Promise<void>
  /** Resolves when history is mined, at once without. */
  historyMined: Promise<void>
  stop(): Promise<void>
}

// Deployment takes about 35 blocks of a second each, before history begins.
const setupS = 60

/** Starts the chain and its RPC. A live chain opens its RPC before history is mined. */
export async function createDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const { seed = 'chaintape', historyS = 0, isMarket = true, blocksMax = 20_000 } = options
  const { onLog = () => {}, onReplay = () => {} } = options
  const nowS = options.nowS ?? (() => Math.floor(Date.now() / 1000))
  const collectGarbage = createCollectGarbage()
  const genesisS = nowS() - historyS - setupS
  const chain = await openChain({
    dataDir: options.dataDir,
    seed,
    genesisS,
    isMarket,
    blocksMax,
    nowS,
    collectGarbage,
    onLog,
    onReplay,
  })
  const { provider, lane, journal, deployment, wallets } = chain
  const market =
    deployment.pools.length > 0 ? createMarket({ ...chain, request: lane.request }) : undefined
  const miner = createMiner({ lane, market, onLog })
  const server = await openRpcServer({
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    provider,
    request: lane.request,
  }).catch((error: unknown) => {
    journal?.close()
    throw error
  })
  const genesis = (await lane.request('eth_getBlockByNumber', ['0x0', false])) as { hash: string }
  const historyEndS = chain.isReplayed ? chain.genesisS + setupS + historyS : undefined
  const run = options.isLive
    ? startRun({
        ...options,
        miner,
        request: lane.request,
        nowS,
        historyEndS,
        blocksMax,
        journal,
        checkpoints: checkpointsOf(options, chain, collectGarbage),
      })
    : { historyMined: Promise.resolve(), stop: async () => {} }
  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    await run.stop()
    await server.close()
    journal?.close()
  }
  return {
    rpcUrl: server.rpcUrl,
    wsUrl: server.wsUrl,
    chainId,
    genesisHash: genesis.hash,
    isReplayed: chain.isReplayed,
    profile: profileOf(deployment),
    deployment,
    wallets,
    request: lane.request,
    send: lane.send,
    mine: miner.mine,
    mineMarket: miner.mineMarket,
    setNextTime: miner.setNextTime,
    snapshot: async () => (await lane.request('evm_snapshot')) as string,
    revert: async (snapshotId) => void (await lane.request('evm_revert', [snapshotId])),
    historyMined: run.historyMined,
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

type RunOptions = DevnetOptions &
  Pick<RunMarketOptions, 'miner' | 'request' | 'historyEndS'> & {
    nowS: () => number
    blocksMax: number
    journal: Journal | undefined
    checkpoints: Checkpoints | undefined
  }

function checkpointsOf(
  { makeCheckpoint: make, onLog = () => {} }: DevnetOptions,
  chain: Awaited<ReturnType<typeof openChain>>,
  collectGarbage: () => void,
): Checkpoints | undefined {
  const { journal, archive, base, lane, provider, wallets } = chain
  if (!make || !journal || !archive) return undefined
  const { privateKeys } = wallets
  return createCheckpoints({
    make,
    journalPath: journal.path,
    archive,
    base,
    lane,
    provider,
    chainId,
    privateKeys,
    collectGarbage,
    onLog,
  })
}

function startRun(options: RunOptions) {
  const { miner, request, nowS, historyEndS, blocksMax, journal, checkpoints } = options
  const abort = new AbortController()
  const { promise: historyMined, resolve: onHistoryMined } = withResolvers()
  const ended = runMarket({
    miner,
    request,
    nowS,
    historyEndS,
    blocksMax,
    async onMined(number) {
      void checkpoints?.mined(number)
      await checkpoints?.pace(number, abort.signal)
    },
    onHistoryMined,
    signal: abort.signal,
    rssBytesMax: options.rssBytesMax ?? 3 * 2 ** 30,
    blockMs: options.blockMs ?? 1000,
    onHistory: options.onHistory ?? (() => {}),
  }).then(
    async (reason) => {
      onHistoryMined()
      if (reason !== 'full') return
      await checkpoints?.stop()
      if (journal) removeCheckpoints(dirname(journal.path))
      journal?.wipe()
      options.onRollover?.()
    },
    (error: unknown) => {
      onHistoryMined()
      options.onFailed?.(error)
    },
  )
  return {
    historyMined,
    async stop() {
      abort.abort()
      await ended
      await checkpoints?.stop()
    },
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
