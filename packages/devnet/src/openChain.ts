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
import { type Archive, openArchive } from './node/past/archive.ts'
import { createProvider } from './node/provider.ts'
import { replayJournal } from './node/replay.ts'
import { resumeProvider } from './node/resumed/resumedProvider.ts'
import {
  type Checkpoint,
  isOfChain,
  listCheckpoints,
  readCheckpoint,
  removeCheckpoints,
} from './node/state/checkpoint.ts'
import { createSwitchedProvider, type SwitchedProvider } from './node/switchedProvider.ts'
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
  provider: SwitchedProvider
  lane: Lane
  /** Undefined together with the archive. */
  journal: Journal | undefined
  archive: Archive | undefined
  /** What the EVM began with; undefined is genesis. */
  base: Checkpoint | undefined
  wallets: Wallets
  deployment: Deployment
  seed: string
  genesisS: number
  isReplayed: boolean
}

/** What there is of a chain on disk. */
type Past = {
  base: Checkpoint | undefined
  records: readonly JournalRecord[]
  seed: string
  genesisS: number
  deployment: Deployment
}

/** The chain of the journal, or a new one with all contracts deployed. */
export async function openChain(options: OpenChainOptions): Promise<Chain> {
  const { dataDir, onLog } = options
  if (dataDir === undefined) return await createChain(options, undefined)
  const dir = join(dataDir, 'devnet')
  const path = join(dir, 'journal')
  const saved = await openSaved(options, dir, path)
  if (saved) return saved
  try {
    const journal = openJournal(path)
    const files = { journal, archive: newArchive(dir) }
    const past = pastOf(journal.records, options)
    if (past) return await replayChain(options, files, past)
    journal.wipe()
    return await createChain(options, files)
  } catch (error) {
    if (!isBroken(error)) throw error
    onLog(`${error.message} A new chain is started.`)
    removeJournal(path)
    return await createChain(options, { journal: openJournal(path), archive: newArchive(dir) })
  }
}

/** For an EVM that begins with genesis: there is nothing behind it. */
function newArchive(dir: string): Archive {
  removeCheckpoints(dir)
  return openArchive(dir)
}

type Files = { journal: Journal; archive: Archive }

/** On from the newest checkpoint that leads to the journal's end. */
async function openSaved(
  options: OpenChainOptions,
  dir: string,
  path: string,
): Promise<Chain | undefined> {
  const archive = openArchive(dir)
  for (const number of listCheckpoints(dir)) {
    const base = readCheckpoint(dir, number)
    if (!base || !isOfChain(base, path, archive)) continue
    try {
      const journal = openJournal(path, base.journalBytes)
      const { records } = journal
      if (isFull(number + blockCount(records), options)) break
      archive.follow(base.archiveBytes)
      const deployment = base.deployment as Deployment
      return await replayChain(
        options,
        { journal, archive },
        { ...base, base, records, deployment },
      )
    } catch (error) {
      if (!isBroken(error)) throw error
      options.onLog(`${error.message} The chain is replayed from further back.`)
    }
  }
  archive.close()
  return undefined
}

function isBroken(error: unknown): error is DevnetError {
  return error instanceof DevnetError && error.code === 'DEVNET_JOURNAL_BROKEN'
}

function pastOf(records: readonly JournalRecord[], options: OpenChainOptions): Past | undefined {
  const [genesis] = records
  const deployed = records.find(({ type }) => type === 'deployment')
  // Killed before it was set up, nobody saw it.
  if (genesis?.type !== 'genesis' || deployed?.type !== 'deployment') return undefined
  const { format, seed, genesisS } = genesis
  if (format < journalFormat) {
    options.onLog(
      `The journal has format ${format}, the oldest read is ${journalFormat}. A new chain is started.`,
    )
    return undefined
  }
  if (isFull(blockCount(records), options)) return undefined
  const deployment = deployed.deployment as Deployment
  return { base: undefined, records, seed, genesisS, deployment }
}

function isFull(blocks: number, { blocksMax, onLog }: OpenChainOptions): boolean {
  if (blocks < blocksMax) return false
  onLog(`The journal has ${blocks} blocks, at most ${blocksMax} are kept. A new chain is started.`)
  return true
}

function blockCount(records: readonly JournalRecord[]): number {
  return records.reduce((count, { type }) => (type === 'mine' ? count + 1 : count), 0)
}

async function replayChain(options: OpenChainOptions, files: Files, past: Past): Promise<Chain> {
  const { nowS, collectGarbage, onReplay } = options
  const { records, seed, genesisS, deployment, base } = past
  const wallets = createWallets(seed)
  const common = { chainId, privateKeys: wallets.privateKeys, collectGarbage }
  const { journal, archive } = files
  const evm = base
    ? await resumeProvider({ ...common, checkpoint: base, archive })
    : await createProvider({ ...common, genesisS })
  const provider = createSwitchedProvider(evm)
  const lane = createLane({ provider, journal, nowS })
  const totalBlocks = blockCount(records)
  const onPause = async (minedBlocks: number) => onReplay(minedBlocks, totalBlocks)
  onReplay(0, totalBlocks)
  try {
    await replayJournal({ lane, records, onPause })
    onReplay(totalBlocks, totalBlocks)
  } catch (error) {
    journal.close()
    throw error
  }
  return {
    provider,
    lane,
    journal,
    archive,
    base,
    wallets,
    deployment,
    seed,
    genesisS,
    isReplayed: true,
  }
}

async function createChain(options: OpenChainOptions, files: Files | undefined): Promise<Chain> {
  const { seed, genesisS, isMarket, nowS, collectGarbage } = options
  const wallets = createWallets(seed)
  const { privateKeys } = wallets
  const provider = createSwitchedProvider(
    await createProvider({ chainId, genesisS, privateKeys, collectGarbage }),
  )
  const journal = files?.journal
  const lane = createLane({ provider, journal, nowS })
  journal?.append([{ type: 'genesis', format: journalFormat, seed, genesisS }])
  const builder = createBuilder(lane, genesisS)
  const core = await deployCore(lane, builder, wallets)
  const deployment = isMarket ? await listMarket(lane.request, builder, core, wallets) : core
  journal?.append([{ type: 'deployment', deployment }])
  return {
    provider,
    lane,
    journal,
    archive: files?.archive,
    wallets,
    deployment,
    seed,
    genesisS,
    base: undefined,
    isReplayed: false,
  }
}
