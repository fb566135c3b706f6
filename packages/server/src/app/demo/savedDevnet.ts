import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { Store } from '../../store/openStore.ts'

/** The last served local chain, as saved in the data directory. */
export type SavedDevnet = {
  profile: ChainProfile
  storeName: string
  /** Store names of earlier local chains of this directory that are not deleted yet. */
  retired: readonly string[]
}

/** Folder of the local EVM chain in the data directory. */
export const devnetFolder = 'devnet'

const fileOf = (dataDir: string, folder: string) => join(dataDir, folder, 'served.json')

/** Loads the saved local chain; null: no earlier run left a readable file. */
export async function loadSavedDevnet(
  dataDir: string,
  folder = devnetFolder,
): Promise<SavedDevnet | null> {
  try {
    const saved = JSON.parse(
      await readFile(fileOf(dataDir, folder), 'utf8'),
    ) as Partial<SavedDevnet>
    const isWhole = typeof saved.storeName === 'string' && typeof saved.profile?.name === 'string'
    return isWhole ? ({ retired: [], ...saved } as SavedDevnet) : null
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
  // Earlier versions created the folder readable for other users of the machine.
  await chmod(dir, 0o700)
  const file = fileOf(dataDir, folder)
  await writeFile(`${file}.new`, JSON.stringify(saved), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Returns the next store name for the same chain when it is indexed again. */
export function nextStoreName(name: string, { storeName }: Pick<SavedDevnet, 'storeName'>): string {
  const times = storeName.startsWith(`${name}.`) ? Number(storeName.slice(name.length + 1)) : 0
  return `${name}.${times + 1}`
}

export type DeleteReplacedOptions = {
  dataDir: string
  /** @default the folder of the local EVM chain */
  folder?: string | undefined
  saved: SavedDevnet
  /** Engine of the current chain. */
  engine: Pick<Engine, 'head'>
  store: Pick<Store, 'findChain' | 'dropChain'>
  logger: Logger
  signal: AbortSignal
}

const headPollMs = 100

/**
 * Deletes replaced local chains from the store once their successor is served. The next start
 * deletes what an interruption leaves.
 */
export async function deleteReplacedChains(options: DeleteReplacedOptions): Promise<void> {
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
      logger.info({ msg: 'Deleted a replaced local chain from the store', storeName })
      retired = retired.filter((other) => other !== storeName)
      await saveDevnet(dataDir, { ...saved, retired }, folder)
    }
  } catch (error) {
    logger.warn({ msg: 'Failed to delete a local chain from the store', err: error })
  }
}
