import { join } from 'node:path'
import { createBuilder } from './contracts/builder.ts'
import { deployCore } from './contracts/core.ts'
import type { Deployment } from './contracts/deployment.ts'
import { createWallets, type Wallets } from './contracts/wallets.ts'
import { DevnetError } from './errors.ts'
import { listMarket } from './market/list.ts'
import { type Journal, openJournal, removeJournal } from './node/journal.ts'
import { type JournalRecord, journalFormat } from './node/journalRecord.ts'
import { createLane, type Lane } from './node/lane.ts'
import { createProvider, type Provider } from './node/provider.ts'
import { replayJournal } from './node/replay.ts'
import { chainId } from './profile.ts'

export type OpenChainOptions = {
  /** Undefined keeps no journal. */
  dataDir: string | undefined
  seed: string
  /** Genesis of a new chain. */
  genesisS: number
  isMarket: boolean
  blocksMax: number
  nowS: () => number
  collectGarbage: () => void
  onLog: (message: string) => void
  onReplay: (minedBlocks: number, totalBlocks: number) => void
}

type Chain = {
  provider: Provider
  lane: Lane
  journal: Journal | undefined
  wallets: Wallets
  deployment: Deployment
  seed: string
  genesisS: number
  isReplayed: boolean
}

type Past = {
  records: readonly JournalRecord[]
  seed: string
  genesisS: number
  deployment: Deployment
}

/** The chain of the journal, or a new one with all contracts deployed. */
export async function openChain(options: OpenChainOptions): Promise<Chain> {
  const { dataDir, onLog } = options
  if (dataDir === undefined) return await createChain(options, undefined)
  const path = join(dataDir, 'devnet', 'journal')
  try {
    const journal = openJournal(path)
    const past = pastOf(journal.records, options)
    if (past) return await replayChain(options, journal, past)
    journal.wipe()
    return await createChain(options, journal)
  } catch (error) {
    if (!(error instanceof DevnetError) || error.code !== 'DEVNET_JOURNAL_BROKEN') throw error
    onLog(`${error.message} A new chain is started.`)
    removeJournal(path)
    return await createChain(options, openJournal(path))
  }
}

function pastOf(records: readonly JournalRecord[], options: OpenChainOptions): Past | undefined {
  const [genesis] = records
  const deployed = records.find(({ type }) => type === 'deployment')
  // Killed before it was set up, nobody saw it.
  if (genesis?.type !== 'genesis' || deployed?.type !== 'deployment') return undefined
  const blocks = blockCount(records)
  const { format } = genesis
  const reason =
    format < journalFormat
      ? `The journal has format ${format}, the oldest read is ${journalFormat}.`
      : blocks >= options.blocksMax
        ? `The journal has ${blocks} blocks, at most ${options.blocksMax} are kept.`
        : undefined
  if (reason !== undefined) {
    options.onLog(`${reason} A new chain is started.`)
    return undefined
  }
  const { seed, genesisS } = genesis
  return { records, seed, genesisS, deployment: deployed.deployment as Deployment }
}

function blockCount(records: readonly JournalRecord[]): number {
  return records.reduce((count, { type }) => (type === 'mine' ? count + 1 : count), 0)
}

async function replayChain(
  options: OpenChainOptions,
  journal: Journal,
  past: Past,
): Promise<Chain> {
  const { nowS, collectGarbage, onReplay } = options
  const { records, seed, genesisS, deployment } = past
  const wallets = createWallets(seed)
  const provider = await createProvider({ chainId, genesisS, privateKeys: wallets.privateKeys })
  const lane = createLane({ provider, journal, nowS })
  const totalBlocks = blockCount(records)
  const onPause = async (minedBlocks: number) => {
    collectGarbage()
    onReplay(minedBlocks, totalBlocks)
  }
  onReplay(0, totalBlocks)
  try {
    await replayJournal({ lane, records, onPause })
    onReplay(totalBlocks, totalBlocks)
  } catch (error) {
    journal.close()
    throw error
  }
  return { provider, lane, journal, wallets, deployment, seed, genesisS, isReplayed: true }
}

async function createChain(
  options: OpenChainOptions,
  journal: Journal | undefined,
): Promise<Chain> {
  const { seed, genesisS, isMarket, nowS } = options
  const wallets = createWallets(seed)
  const provider = await createProvider({ chainId, genesisS, privateKeys: wallets.privateKeys })
  const lane = createLane({ provider, journal, nowS })
  journal?.append([{ type: 'genesis', format: journalFormat, seed, genesisS }])
  const builder = createBuilder(lane, genesisS)
  const core = await deployCore(lane, builder, wallets)
  const deployment = isMarket ? await listMarket(lane.request, builder, core, wallets) : core
  journal?.append([{ type: 'deployment', deployment }])
  return { provider, lane, journal, wallets, deployment, seed, genesisS, isReplayed: false }
}
