import { resolve } from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { EvmChainSetup } from '../../kinds/evm/evmSetup.ts'
import type { Logger } from '../../lib/logger.ts'
import { clientConfigOf } from '../../store/connection.ts'
import {
  type VerifiedStore,
  type VerifyStoredOptions,
  verifyStored,
} from '../../verify/verifyStored.ts'
import { setupsOf } from '../chains/configuredChains.ts'
import { openDatabase, requireStored } from '../data/openDatabase.ts'
import { loadSavedDevnet } from '../devnet/savedDevnet.ts'
import { NotVerifiableError } from '../errors.ts'

export type VerifyOptions = {
  /** A configured one; needed where there are several. */
  chain?: string | undefined
  /** In place of the chain's own node. */
  rpcUrl?: string | undefined
  logger: Logger
}

/** Holds what is stored of a chain against the chain, whether the service runs or not. */
export async function verifyData(config: Config, options: VerifyOptions): Promise<VerifiedStore> {
  requireStored(config)
  const chain = await storedChainOf(config, options)
  const database = await openDatabase(config, { logger: options.logger })
  try {
    const connection = clientConfigOf(database.connection, 'chaintape verify')
    return await verifyStored({ ...chain, connection })
  } finally {
    await database.stop()
  }
}

type StoredChain = Omit<VerifyStoredOptions, 'connection'>

async function storedChainOf(config: Config, options: VerifyOptions): Promise<StoredChain> {
  const setups = setupsOf(config)
  if (setups.length === 0) return await localChainOf(config, options)
  const named = setups.filter(({ profile }) => (options.chain ?? profile.name) === profile.name)
  const names = setups.map(({ profile }) => profile.name).join(', ')
  const [setup] = named
  if (setup === undefined || named.length > 1)
    throw new NotVerifiableError(`Name one with --chain: ${names}`)
  if (setup.kind !== 'evm') throw new NotVerifiableError(`"${setup.profile.name}" is no EVM chain.`)
  const { profile, storeName, multicall3, endpoints } = setup as EvmChainSetup
  return { profile, storeName, multicall3, rpcUrl: options.rpcUrl ?? endpoints[0]!.httpUrl }
}

/** The local chain's own node is where it was when the service last ran. */
async function localChainOf(config: Config, options: VerifyOptions): Promise<StoredChain> {
  const dataDir = resolve(config.data_dir)
  const saved = await loadSavedDevnet(dataDir)
  const rpcUrl = options.rpcUrl ?? saved?.rpcUrl
  if (saved?.multicall3 === undefined || rpcUrl === undefined)
    throw new NotVerifiableError(`No chain is configured, and ${dataDir} has no local chain.`)
  const { profile, storeName, multicall3 } = saved
  return { profile, storeName, multicall3, rpcUrl }
}
