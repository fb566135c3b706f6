import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/schema/schema.ts'
import type { ClaimedChain } from '../../store/claimChains.ts'
import { localEvm, localKindsOf, localSolana } from '../devnet/devnetSetup.ts'
import { loadSavedDevnet } from '../devnet/savedDevnet.ts'

const fileOf = (dataDir: string) => join(dataDir, 'devnet', 'id')

/** Names the local chain of a data directory through all its successors; null when there was none yet. */
async function loadLocalChainId(dataDir: string): Promise<string | null> {
  const text = await readFile(fileOf(dataDir), 'utf8').catch(() => '')
  return text === '' ? null : text
}

async function ensureLocalChainId(dataDir: string): Promise<string> {
  const found = await loadLocalChainId(dataDir)
  if (found !== null) return found
  await mkdir(join(dataDir, 'devnet'), { recursive: true, mode: 0o700 })
  // Whoever came first has named it.
  await writeFile(fileOf(dataDir), randomUUID(), { flag: 'wx', mode: 0o600 }).catch(() => undefined)
  return (await loadLocalChainId(dataDir))!
}

/** Configured chains: others call them by the same name. */
export function claimedByName(names: readonly string[]): ClaimedChain[] {
  return names.map((name) => ({ chain: name, claim: name, storeName: name }))
}

/**
 * The chains that a service writes, by which others know it. Keys of the local chain in the same data directory are its
 * own, too, unless another service runs that chain.
 */
export async function claimedChainsOf(config: Config): Promise<ClaimedChain[]> {
  const { data_dir: dataDir } = config
  const names = Object.keys(config.chains)
  const running = localKindsOf(config)
  const isLocal = running.length > 0
  const id = isLocal ? await ensureLocalChainId(dataDir) : await loadLocalChainId(dataDir)
  const configured = claimedByName(names)
  if (id === null) return configured
  const locals: ClaimedChain[] = []
  for (const local of [localEvm, localSolana]) {
    const { name: chain, folder } = local
    const storeName = (await loadSavedDevnet(dataDir, folder))?.storeName ?? null
    const isOptional = !running.includes(local)
    // Whoever never ran the second one has nothing of it.
    if (local === localEvm || !isOptional || storeName !== null)
      locals.push({ chain, claim: `${chain}:${id}`, storeName, isOptional })
  }
  return [...configured, ...locals]
}
