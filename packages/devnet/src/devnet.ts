import { createBuilder } from './contracts/builder.ts'
import { deployCore } from './contracts/core.ts'
import { type Deployment, profileOf } from './contracts/deployment.ts'
import { createWallets, type Wallets } from './contracts/wallets.ts'
import { listMarket } from './market/list.ts'
import { createMarket } from './market/market.ts'
import { createMiner } from './miner.ts'
import { createLane, type Transaction } from './node/lane.ts'
import { createProvider, type Request } from './node/provider.ts'
import { openRpcServer } from './node/rpcServer.ts'
import { chainId, type DevnetProfile } from './profile.ts'
import { type RunMarketOptions, runMarket } from './runMarket.ts'

export type DevnetOptions = {
  /** @default '127.0.0.1' */
  host?: string | undefined
  /** 0 takes any free port. @default 0 */
  port?: number | undefined
  /** Determines wallets, tokens and the actions of bots. @default 'chaintape' */
  seed?: string | undefined
  /** Market time mined at the start of a new chain. @default 0 */
  historyS?: number | undefined
  /** Lists tokens and lets bots trade them. @default true */
  isMarket?: boolean | undefined
  /** Block interval of a live chain; under 1,000, blocks share a second. @default 1000 */
  blockMs?: number | undefined
  /**
   * Mines by itself: history first, then a block each `blockMs`. Otherwise only `mine` does.
   * @default false
   */
  isLive?: boolean | undefined
  /** A live chain ends at this number of blocks. @default 20_000 */
  blocksMax?: number | undefined
  /** A live chain also ends if its process uses this much memory. @default 3 GiB */
  rssBytesMax?: number | undefined
  /** @default the system clock */
  nowS?: (() => number) | undefined
  onLog?: ((message: string) => void) | undefined
  onHistory?: ((minedS: number, totalS: number) => void) | undefined
  /** The chain has reached a limit and stopped mining. */
  onRollover?: (() => void) | undefined
  /** Mining failed and has stopped. */
  onFailed?: ((error: unknown) => void) | undefined
}

export type Devnet = {
  rpcUrl: string
  wsUrl: string
  chainId: number
  /** Different at every start. */
  genesisHash: string
  profile: DevnetProfile
  deployment: Deployment
  wallets: Wallets
  request: Request
  /** Sends from a wallet of this chain; waits for the next block. */
  send(transaction: Transaction): Promise<string>
  /** Mines all pending transactions; resolves with the block's hash. */
  mine(timestampS?: number): Promise<string>
  /** Mines a block with the bots' transactions. */
  mineMarket(timestampS?: number): Promise<string>
  /** Time of the next block mined without one. */
  setNextTime(timestampS: number): void
  snapshot(): Promise<string>
  /** Reverts every block since the snapshot. */
  revert(snapshotId: string): Promise<void>
  /** Resolves once history is mined. */
  historyMined: Promise<void>
  stop(): Promise<void>
}

// Deployment takes about 35 blocks of one second before history begins.
const setupS = 60

/** Starts the chain and its RPC. A live chain opens its RPC before history is mined. */
export async function createDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const { seed = 'chaintape', historyS = 0, isMarket = true, onLog = () => {} } = options
  const nowS = options.nowS ?? (() => Math.floor(Date.now() / 1000))
  const genesisS = nowS() - historyS - setupS
  const wallets = createWallets(seed)
  const provider = await createProvider({
    chainId,
    genesisS,
    privateKeys: wallets.privateKeys,
  })
  const lane = createLane({ provider, nowS })
  const { request } = lane
  const builder = createBuilder(lane, genesisS)
  const core = await deployCore(lane, builder, wallets)
  const deployment = isMarket ? await listMarket(request, builder, core, wallets) : core
  const market = isMarket
    ? createMarket({ request, wallets, deployment, seed, genesisS })
    : undefined
  const miner = createMiner({ lane, market, onLog })
  const server = await openRpcServer({
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    provider,
    request,
  })
  const genesis = (await request('eth_getBlockByNumber', ['0x0', false])) as { hash: string }
  const run = options.isLive
    ? startRun({ ...options, miner, request, nowS })
    : { historyMined: Promise.resolve(), stop: async () => {} }
  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    await run.stop()
    await server.close()
  }
  return {
    rpcUrl: server.rpcUrl,
    wsUrl: server.wsUrl,
    chainId,
    genesisHash: genesis.hash,
    profile: profileOf(deployment),
    deployment,
    wallets,
    request,
    send: lane.send,
    mine: miner.mine,
    mineMarket: miner.mineMarket,
    setNextTime: miner.setNextTime,
    snapshot: async () => (await request('evm_snapshot')) as string,
    revert: async (snapshotId) => void (await request('evm_revert', [snapshotId])),
    historyMined: run.historyMined,
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

type RunOptions = DevnetOptions & Pick<RunMarketOptions, 'miner' | 'request' | 'nowS'>

function startRun(options: RunOptions) {
  const { blocksMax = 20_000, rssBytesMax = 3 * 2 ** 30, blockMs = 1000 } = options
  const abort = new AbortController()
  const { promise: historyMined, resolve: onHistoryMined } = withResolvers()
  const ended = runMarket({
    miner: options.miner,
    request: options.request,
    nowS: options.nowS,
    blocksMax,
    rssBytesMax,
    blockMs,
    onHistory: options.onHistory ?? (() => {}),
    onHistoryMined,
    signal: abort.signal,
  }).then(
    (reason) => {
      onHistoryMined()
      if (reason === 'full') options.onRollover?.()
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
