import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/schema/schema.ts'
import type { ClaimedChain } from '../../store/chainLease.ts'
import { localChainKinds, localEvmKind, localSolanaKind } from '../demo/devnetSetup.ts'
import { loadSavedDevnet } from '../demo/savedDevnet.ts'

const fileOf = (dataDir: string) => join(dataDir, 'devnet', 'id')

/**
 * Returns the id that identifies a data directory's local chain across all its restarts; null: no
 * local chain yet.
 */
async function loadLocalChainId(dataDir: string): Promise<string | null> {
  const text = await readFile(fileOf(dataDir), 'utf8').catch(() => '')
  return text === '' ? null : text
}

async function ensureLocalChainId(dataDir: string): Promise<string> {
  const found = await loadLocalChainId(dataDir)
  if (found !== null) return found
  await mkdir(join(dataDir, 'devnet'), { recursive: true, mode: 0o700 })
  // If another process created the file first, its id counts.
  await writeFile(fileOf(dataDir), randomUUID(), { flag: 'wx', mode: 0o600 }).catch(() => undefined)
  return (await loadLocalChainId(dataDir))!
}

/** Claims configured chains by name, since every service uses the same name for the same chain. */
export function claimChainsByName(names: readonly string[]): ClaimedChain[] {
  return names.map((name) => ({ chain: name, claim: name, storeName: name }))
}

/**
 * Returns the chains this service may write, by names that are unique across services. Includes the
 * local chains of the data directory, whose keys belong to this service unless another service runs
 * that chain.
 */
export async function claimedChainsOf(config: Config): Promise<ClaimedChain[]> {
  const { data_dir: dataDir } = config
  const names = Object.keys(config.chains)
  const running = localChainKinds(config)
  const isLocal = running.length > 0
  const id = isLocal ? await ensureLocalChainId(dataDir) : await loadLocalChainId(dataDir)
  const configured = claimChainsByName(names)
  if (id === null) return configured
  const locals: ClaimedChain[] = []
  for (const local of [localEvmKind, localSolanaKind]) {
    const { name: chain, folder } = local
    const storeName = (await loadSavedDevnet(dataDir, folder))?.storeName ?? null
    const isOptional = !running.includes(local)
    // A service that never ran the Solana chain has no keys of it.
    if (local === localEvmKind || !isOptional || storeName !== null)
      locals.push({ chain, claim: `${chain}:${id}`, storeName, isOptional })
  }
  return [...configured, ...locals]
}
