import './allocator.ts'
import napi from 'hardhat/common/napi-rs.js'
import hardhat from 'hardhat/internal/hardhat-network/provider/provider.js'
import { createAtOnce } from './atOnce.ts'
import { createCollectWhenGrown } from './collectWhenGrown.ts'

/** A JSON-RPC request of the node in this process. */
export type Request = (method: string, params?: readonly unknown[]) => Promise<unknown>

export type Notification = { subscription: string; result: unknown }

export type Provider = {
  request: Request
  addListener(event: string, listener: (payload: Notification) => void): unknown
  removeListener(event: string, listener: (payload: Notification) => void): unknown
}

export type ProviderOptions = {
  chainId: number
  genesisS: number
  /** Funded at genesis; the node signs for them. */
  privateKeys: readonly `0x${string}`[]
  /** Called now and then: every answer holds the trace of what was executed for it until it is collected. */
  collectGarbage?: (() => void) | undefined
}

const balanceWei = 10n ** 24n

// Room for a deployment beside trades; a full block of the market uses about 2 million.
const blockGasLimit = 60_000_000

// It does one thing at a time whatever it is asked. Each that waits inside holds a thread, and each thread memory of its own; one
// more than it does lets the next begin while an answer is being written.
const requestsMax = 2

const executes = /^(eth_call|eth_estimateGas|evm_mine|hardhat_mine|debug_\w+)$/

// What Hardhat's provider holds, which its types hide: the EVM, and what it was made of.
type Inside = {
  _provider: Evm
  _providerConfig: unknown
  _node: { _vm: { stateManager: { updateProvider(evm: Evm): void } } }
  _ethEventListener(event: unknown): void
}

type Evm = {
  contractDecoder(): unknown
}

type EvmContext = {
  createProvider(
    chainType: string,
    config: unknown,
    logger: unknown,
    subscription: unknown,
    decoder: unknown,
  ): Promise<Evm>
}

/** Hardhat's EVM in this process: no config file, no cache on disk, no logging, no mining by itself. */
export async function createProvider(options: ProviderOptions): Promise<Provider> {
  const { collectGarbage } = options
  const provider = await hardhat.createHardhatNetworkProvider(configOf(options), {
    enabled: false,
  })
  const inside = provider as unknown as Inside
  await startAgain(inside)
  // One listener for each WebSocket client.
  provider.setMaxListeners(0)
  const atOnce = createAtOnce(requestsMax)
  const collectWhenGrown = createCollectWhenGrown(collectGarbage ?? (() => {}))
  return {
    async request(method, params = []) {
      if (executes.test(method)) collectWhenGrown()
      return await atOnce(() => provider.request({ method, params: [...params] }))
    },
    addListener: (event, listener) => provider.addListener(event, listener),
    removeListener: (event, listener) => provider.removeListener(event, listener),
  }
}

function configOf({ chainId, genesisS, privateKeys }: ProviderOptions) {
  return {
    chainId,
    networkId: chainId,
    // Osaka caps the gas of a transaction; nothing here needs it.
    hardfork: 'prague',
    blockGasLimit,
    // Not zero: a block over half full would lift it and strand transactions that pay nothing.
    initialBaseFeePerGas: 1_000_000_000,
    minGasPrice: 0n,
    throwOnTransactionFailures: false,
    throwOnCallFailures: true,
    automine: false,
    intervalMining: 0,
    mempoolOrder: 'fifo' as const,
    chains: new Map(),
    genesisAccounts: privateKeys.map((privateKey) => ({ privateKey, balance: balanceWei })),
    allowUnlimitedContractSize: true,
    // Where blocks come faster than one a second.
    allowBlocksWithSameTimestamp: true,
    // The genesis time decides every later hash.
    initialDate: new Date(genesisS * 1000),
    enableTransientStorage: false,
    enableRip7212: false,
  }
}

/**
 * Replaces the EVM by one of the same making, as Hardhat does when it is reset. An EVM lives as long as what it calls, and Hardhat
 * gives it callbacks that hold the EVM: none would ever be freed. This one's hold nothing.
 */
async function startAgain(inside: Inside): Promise<void> {
  const { GENERIC_CHAIN_TYPE } = napi.requireNapiRsModule('@nomicfoundation/edr') as {
    GENERIC_CHAIN_TYPE: string
  }
  const context = (await hardhat.getGlobalEdrContext()) as unknown as EvmContext
  inside._provider = await context.createProvider(
    GENERIC_CHAIN_TYPE,
    inside._providerConfig,
    silentLogger,
    { subscriptionCallback: weakListener(new WeakRef(inside)) },
    inside._provider.contractDecoder(),
  )
  inside._node._vm.stateManager.updateProvider(inside._provider)
}

const silentLogger = {
  enable: false,
  decodeConsoleLogInputsCallback: () => [],
  printLineCallback: () => {},
}

// A function of its own: what is made beside it would hold what it holds.
function weakListener(inside: WeakRef<Inside>): (event: unknown) => void {
  return (event) => inside.deref()?._ethEventListener(event)
}
