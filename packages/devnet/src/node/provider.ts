import provider from 'hardhat/internal/hardhat-network/provider/provider.js'

/** A JSON-RPC request of the node in this process. */
export type Request = (method: string, params?: readonly unknown[]) => Promise<unknown>

type Notification = { subscription: string; result: unknown }

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
}

const balanceWei = 10n ** 24n

// Room for a deployment beside trades; a full block of the market uses about 2 million.
const blockGasLimit = 60_000_000

/** Hardhat's EVM in this process: no config file, no cache on disk, no logging, no mining by itself. */
export async function createProvider(options: ProviderOptions): Promise<Provider> {
  const { chainId, genesisS, privateKeys } = options
  const hardhat = await provider.createHardhatNetworkProvider(
    {
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
      mempoolOrder: 'fifo',
      chains: new Map(),
      genesisAccounts: privateKeys.map((privateKey) => ({ privateKey, balance: balanceWei })),
      allowUnlimitedContractSize: true,
      allowBlocksWithSameTimestamp: false,
      // The genesis time decides every later hash.
      initialDate: new Date(genesisS * 1000),
      enableTransientStorage: false,
      enableRip7212: false,
    },
    { enabled: false },
  )
  // One listener for each WebSocket client.
  hardhat.setMaxListeners(0)
  return {
    request: (method, params = []) => hardhat.request({ method, params: [...params] }),
    addListener: (event, listener) => hardhat.addListener(event, listener),
    removeListener: (event, listener) => hardhat.removeListener(event, listener),
  }
}
