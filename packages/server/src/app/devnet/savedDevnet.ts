import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChainProfile } from '../../model/chainProfile.ts'

/** What is known of the local chain before it runs again: enough to serve what is stored of it. */
export type SavedDevnet = {
  profile: ChainProfile
  storeName: string
  /** Chains of this data directory that came before it and are still in the store, by their names there. */
  retired: readonly string[]
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

const fileOf = (dataDir: string) => join(dataDir, 'devnet', 'served.json')

/** Null when there was no earlier run, or it left nothing that can be read. */
export async function loadSavedDevnet(dataDir: string): Promise<SavedDevnet | null> {
  try {
    const saved = JSON.parse(await readFile(fileOf(dataDir), 'utf8')) as Partial<SavedDevnet>
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
): Promise<void> {
  await mkdir(join(dataDir, 'devnet'), { recursive: true })
  const file = fileOf(dataDir)
  await writeFile(`${file}.new`, JSON.stringify(saved))
  await rename(`${file}.new`, file)
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
