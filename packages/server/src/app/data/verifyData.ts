import { resolve } from 'node:path'
import type { Config } from '../../config/schema/schema.ts'
import type { ChainSetup } from '../../kinds/chainSetup.ts'
import { evmKind } from '../../kinds/evm/evmKind.ts'
import type { SolanaChainSetup } from '../../kinds/solana/solanaSetup.ts'
import type { Logger } from '../../lib/logger.ts'
import { clientConfigOf } from '../../store/connection.ts'
import { writableOf } from '../../store/storeClient.ts'
import { verifySolana } from '../../verify/solana/verifySolana.ts'
import type { StoredChain, VerifiedStore, VerifyChain } from '../../verify/verifiedStore.ts'
import { setupsOf } from '../chains/configuredChains.ts'
import { localEvm, localKindsOf } from '../devnet/devnetSetup.ts'
import { loadSavedDevnet, type SavedDevnet } from '../devnet/savedDevnet.ts'
import { NotVerifiableError } from '../errors.ts'
import { evmCheckOf } from '../evm/verifyEvm.ts'
import { openDatabase, requireStored } from './openDatabase.ts'

export type VerifyOptions = {
  /** A configured one; needed where there are several. */
  chain?: string | undefined
  /** In place of the chain's own node. */
  rpcUrl?: string | undefined
  logger: Logger
}

export type VerifiedChain = VerifiedStore & { chain: string }

/** Holds what is stored of a chain against the chain, whether the service runs or not; of local chains, of each. */
export async function verifyData(config: Config, options: VerifyOptions): Promise<VerifiedChain[]> {
  requireStored(config)
  const checks = await checksOf(config, options)
  const database = await openDatabase(config, { logger: options.logger })
  try {
    const connection = clientConfigOf(await writableOf(database.connection), 'chaintape verify')
    const verified: VerifiedChain[] = []
    for (const [chain, verify] of checks) verified.push({ chain, ...(await verify(connection)) })
    return verified
  } finally {
    await database.stop()
  }
}

/** By the chain's name. */
type Checks = ReadonlyMap<string, VerifyChain>

async function checksOf(config: Config, options: VerifyOptions): Promise<Checks> {
  const setups = setupsOf(config)
  if (setups.length === 0) return await localChecksOf(config, options)
  const named = setups.filter(({ profile }) => (options.chain ?? profile.name) === profile.name)
  const names = setups.map(({ profile }) => profile.name).join(', ')
  const [setup] = named
  if (setup === undefined || named.length > 1)
    throw new NotVerifiableError(`Name one with --chain: ${names}`)
  const { profile, storeName } = setup
  const rpcUrl = options.rpcUrl ?? (setup as SolanaChainSetup).endpoints[0]!.httpUrl
  const check = checkOf(setup.kind, setup, { profile, storeName, rpcUrl })
  if (check === null) throw new NotVerifiableError(`"${profile.name}" has no check of its kind.`)
  return new Map([[profile.name, check]])
}

/** A local chain's own node is where it was when the service last ran. Another node than that is the first chain's. */
async function localChecksOf(config: Config, options: VerifyOptions): Promise<Checks> {
  const dataDir = resolve(config.data_dir)
  const wanted = options.chain ?? (options.rpcUrl === undefined ? null : localEvm.name)
  const checks = new Map<string, VerifyChain>()
  for (const { name, kind, folder } of localKindsOf(config)) {
    if (wanted !== null && wanted !== name) continue
    const saved = await loadSavedDevnet(dataDir, folder)
    const rpcUrl = options.rpcUrl ?? saved?.rpcUrl
    if (saved === null || rpcUrl === undefined) continue
    const { profile, storeName } = saved
    const check = checkOf(kind, saved, { profile, storeName, rpcUrl })
    if (check !== null) checks.set(name, check)
  }
  if (checks.size === 0)
    throw new NotVerifiableError(`No chain is configured, and ${dataDir} has no local chain.`)
  return checks
}

/** Null: what is known of the chain does not do for a check of its kind. */
function checkOf(
  kind: string,
  described: ChainSetup | SavedDevnet,
  stored: StoredChain,
): VerifyChain | null {
  if (kind === evmKind.name) return evmCheckOf(described, stored)
  const { sharedOwners } = described as SolanaChainSetup | SavedDevnet
  if (sharedOwners === undefined) return null
  return (connection) => verifySolana({ ...stored, sharedOwners, connection })
}
