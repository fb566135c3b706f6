import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { Store } from '../../store/openStore.ts'
import type { ReadyDevnet } from './devnetProcess.ts'

/** What is known of the local chain before it runs again: enough to serve what is stored of it. */
export type SavedDevnet = {
  profile: ChainProfile
  storeName: string
  /** Chains of this data directory that came before it and are still in the store, by their names there. */
  retired: readonly string[]
  /** Where its node was, and its Multicall3; an earlier version did not write them down. */
  rpcUrl?: string | undefined
  multicall3?: string | undefined
  /** Of a Solana chain: who owns the vaults of many pools. */
  sharedOwners?: readonly string[] | undefined
}

/** What a version that did not know a field yet left out. */
const profileDefaults: Omit<ChainProfile, 'name'> = {
  native: { symbol: '', decimals: 18, wrappedToken: '' },
  stables: [],
  quotes: [],
  venues: [],
  launchPlatforms: [],
  burnAddresses: [],
  lockers: [],
  outOfCirculation: [],
  nativePoolUsdMin: 0,
  reorgDepthMax: 0,
}

/** Earlier versions had another word for venues. */
type SavedProfile = ChainProfile & { factories?: ChainProfile['venues'] }

/** Where the first local chain is in the data directory. */
export const devnetFolder = 'devnet'

const fileOf = (dataDir: string, folder: string) => join(dataDir, folder, 'served.json')

/** Null when there was no earlier run, or it left nothing that can be read. */
export async function loadSavedDevnet(
  dataDir: string,
  folder = devnetFolder,
): Promise<SavedDevnet | null> {
  try {
    const saved = JSON.parse(
      await readFile(fileOf(dataDir, folder), 'utf8'),
    ) as Partial<SavedDevnet>
    const isWhole = typeof saved.storeName === 'string' && typeof saved.profile?.name === 'string'
    if (!isWhole) return null
    const { factories, ...known } = saved.profile as SavedProfile
    const venues = known.venues ?? factories ?? []
    const profile = { ...profileDefaults, ...known, venues }
    return { retired: [], ...saved, profile } as SavedDevnet
  } catch {
    return null
  }
}

export async function saveDevnet(
  dataDir: string,
  saved: Omit<SavedDevnet, 'retired'> & Partial<SavedDevnet>,
  folder = devnetFolder,
): Promise<void> {
  const dir = join(dataDir, folder)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  // Earlier versions let other users of the machine in.
  await chmod(dir, 0o700)
  const file = fileOf(dataDir, folder)
  await writeFile(`${file}.new`, JSON.stringify(saved), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** With where its node is, for who looks at what is stored. */
export function savedOf(
  { profile, storeName }: Pick<ChainSetup, 'profile' | 'storeName'>,
  { rpcUrl, profile: told }: Pick<ReadyDevnet, 'rpcUrl' | 'profile'>,
): Omit<SavedDevnet, 'retired'> {
  // Each kind says its own beside its profile.
  const { multicall3, sharedOwners } = told as { multicall3?: string; sharedOwners?: string[] }
  return { profile, storeName, rpcUrl, multicall3, sharedOwners }
}

/** What the chain is stored under: its own name, or the one it got when it was last stored again. */
export function storedNameOf(name: string, saved: Pick<SavedDevnet, 'storeName'> | null): string {
  return saved !== null && timesOf(name, saved) > 0 ? saved.storeName : name
}

/** The name for storing the same chain again. */
export function nextNameOf(name: string, saved: Pick<SavedDevnet, 'storeName'>): string {
  return `${name}.${timesOf(name, saved) + 1}`
}

/** How often it was stored again. */
function timesOf(name: string, { storeName }: Pick<SavedDevnet, 'storeName'>): number {
  return storeName.startsWith(`${name}.`) ? Number(storeName.slice(name.length + 1)) : 0
}

export type DropRetiredOptions = {
  dataDir: string
  /** @default that of the first local chain */
  folder?: string | undefined
  saved: SavedDevnet
  /** Of the chain that is there now. */
  engine: Pick<Engine, 'head'>
  store: Pick<Store, 'findChain' | 'dropChain'>
  logger: Logger
  signal: AbortSignal
}

const headPollMs = 100

/** Removes local chains that have a successor from the store, once that is served. What is left is for the next start. */
export async function dropRetired(options: DropRetiredOptions): Promise<void> {
  const { dataDir, folder, saved, engine, store, logger, signal } = options
  while (engine.head() === null && !signal.aborted)
    await delay(headPollMs, undefined, { signal }).catch(() => undefined)
  let { retired } = saved
  try {
    for (const storeName of retired) {
      if (signal.aborted) return
      const chainId = await store.findChain(storeName)
      const isGone = chainId === null || (await store.dropChain(chainId, { signal }))
      if (!isGone) return
      logger.info({ msg: 'Removed a local chain that has a successor', storeName })
      retired = retired.filter((other) => other !== storeName)
      await saveDevnet(dataDir, { ...saved, retired }, folder)
    }
  } catch (error) {
    logger.warn({ msg: 'Failed to remove a local chain from the store', err: error })
  }
}
