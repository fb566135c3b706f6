import { privateKeyToAddress } from 'viem/accounts'
import { createAtOnce } from './atOnce.ts'
import { type EdrContext, edr, type SubscriptionEvent } from './edr.ts'
import { RpcError } from './rpcError.ts'

/** Sends a JSON-RPC request to the node in this process. */
export type Request = (method: string, params?: readonly unknown[]) => Promise<unknown>

export type Notification = { subscription: string; result: unknown }

export type Provider = {
  request: Request
  /** Called with every event of every subscription. */
  listeners: Set<(notification: Notification) => void>
}

export type ProviderOptions = {
  chainId: number
  genesisS: number
  /** Funded at genesis; the node signs for them. */
  privateKeys: readonly `0x${string}`[]
}

const balanceWei = 10n ** 24n

// Room for a deployment beside trades; a full block of the market uses about 2 million.
const blockGasLimit = 60_000_000n

// EDR handles one request at a time. Each waiting one holds a thread with its own memory. A second
// one starts while an answer is being written.
const requestsMax = 2

// EDR allows only one per process.
let context: Promise<EdrContext> | undefined

async function openContext(): Promise<EdrContext> {
  const opened = new edr.EdrContext()
  await opened.registerProviderFactory(edr.GENERIC_CHAIN_TYPE, edr.genericChainProviderFactory())
  return opened
}

/** An EVM in this process (EDR, Hardhat's): no cache on disk, no logging, no automatic mining. */
export async function createProvider(options: ProviderOptions): Promise<Provider> {
  context ??= openContext()
  const { listeners, subscriptionCallback } = createListeners()
  const evm = await (await context).createProvider(
    edr.GENERIC_CHAIN_TYPE,
    configOf(options),
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} },
    { subscriptionCallback },
    new edr.ContractDecoder(),
  )
  const atOnce = createAtOnce(requestsMax)
  let lastId = 0
  return {
    listeners,
    async request(method, params = []) {
      lastId += 1
      const text = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })
      const { data } = await atOnce(() => evm.handleRequest(text))
      const response = typeof data === 'string' ? JSON.parse(data) : data
      if (response.error) throw new RpcError(response.error)
      return response.result
    },
  }
}

// A separate function: an EVM keeps its callbacks alive, and closures created beside the EVM would
// hold it for ever.
function createListeners() {
  const listeners: Provider['listeners'] = new Set()
  const subscriptionCallback = ({ filterId, result }: SubscriptionEvent) => {
    const subscription = `0x${filterId.toString(16)}`
    for (const one of Array.isArray(result) ? result : [result])
      for (const listener of listeners) listener({ subscription, result: one })
  }
  return { listeners, subscriptionCallback }
}

function configOf({ chainId, genesisS, privateKeys }: ProviderOptions) {
  const accounts = privateKeys.map((key) => ({
    address: Buffer.from(privateKeyToAddress(key).slice(2), 'hex'),
    balance: balanceWei,
  }))
  return {
    chainId: BigInt(chainId),
    networkId: BigInt(chainId),
    // Osaka caps the gas of a transaction, which is not needed here.
    hardfork: edr.PRAGUE,
    // The genesis time determines every later hash.
    network: { genesisBlockGasLimit: blockGasLimit, genesisBlockTime: BigInt(genesisS) },
    genesisState: [...edr.l1GenesisState(edr.l1HardforkFromString(edr.PRAGUE)), ...accounts],
    ownedAccounts: [...privateKeys],
    coinbase: Buffer.from('c014ba5ec014ba5ec014ba5ec014ba5ec014ba5e', 'hex'),
    // Not zero: a block over half full would raise it and strand transactions without a fee.
    initialBaseFeePerGas: 1_000_000_000n,
    minGasPrice: 0n,
    defaultTransactionGasLimit: blockGasLimit,
    bailOnTransactionFailure: false,
    bailOnCallFailure: true,
    mining: { autoMine: false, blockGasLimit, memPool: { order: edr.MineOrdering.Fifo } },
    allowUnlimitedContractSize: true,
    // For blocks faster than one a second.
    allowBlocksWithSameTimestamp: true,
    precompileOverrides: [],
    observability: {},
  }
}
