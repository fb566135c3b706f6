import { ChainInconsistentError } from '../errors.ts'

/** What a node answers of a block with the encoding json, as far as the check reads it. */
export type RawInstruction = {
  programIdIndex: number
  accounts: readonly number[]
  data: string
  stackHeight?: number | null
}

export type RawBalance = {
  accountIndex: number
  mint: string
  owner?: string
  uiTokenAmount: { amount: string }
}

export type RawTransaction = {
  transaction: {
    signatures: readonly string[]
    message: { accountKeys: readonly string[]; instructions: readonly RawInstruction[] }
  }
  meta: {
    err: unknown
    innerInstructions?: readonly { index: number; instructions: readonly RawInstruction[] }[] | null
    logMessages?: readonly string[] | null
    postBalances?: readonly number[]
    preTokenBalances?: readonly RawBalance[] | null
    postTokenBalances?: readonly RawBalance[] | null
    loadedAddresses?: { writable: readonly string[]; readonly: readonly string[] } | null
  }
}

export type RawBlock = {
  slot: number
  blockhash: string
  previousBlockhash: string
  blockTime: number
  transactions: readonly RawTransaction[]
}

/** The blocks that the node still has up to the head, and the decimals of the mints in them. */
export type SolanaChain = {
  blocks: readonly RawBlock[]
  decimals: ReadonlyMap<string, number>
}

export type ReadSolanaChainOptions = {
  rpcUrl: string
  /** Of the last block, included. */
  head: { number: number; hash: string }
  /** Of the first block that is wanted. */
  firstSlot: number
}

const blocksAtOnce = 8
const accountsAtOnce = 100
/** Where a mint's account has its decimals. */
const decimalsAt = 44

/** Null: the head is not, or no longer, a block of the node's chain. */
export async function readSolanaChain(
  options: ReadSolanaChainOptions,
): Promise<SolanaChain | null> {
  const { rpcUrl, head, firstSlot } = options
  const oldest = (await ask(rpcUrl, 'getFirstAvailableBlock', [])) as number
  const range = [Math.max(oldest, firstSlot), head.number, { commitment: 'confirmed' }]
  const slots = (await ask(rpcUrl, 'getBlocks', range)) as number[]
  const blocks: RawBlock[] = []
  for (let at = 0; at < slots.length; at += blocksAtOnce) {
    const part = slots.slice(at, at + blocksAtOnce)
    blocks.push(...(await Promise.all(part.map((slot) => readBlock(rpcUrl, slot)))))
  }
  const last = blocks.at(-1)
  if (last?.slot !== head.number || last.blockhash !== head.hash) return null
  for (const [at, { previousBlockhash }] of blocks.entries())
    if (at > 0 && previousBlockhash !== blocks[at - 1]!.blockhash) return null
  return { blocks, decimals: await readDecimals(rpcUrl, mintsOf(blocks)) }
}

async function readBlock(rpcUrl: string, slot: number): Promise<RawBlock> {
  const config = { encoding: 'json', transactionDetails: 'full', rewards: false }
  const version = { maxSupportedTransactionVersion: 1, commitment: 'confirmed' }
  const block = await ask(rpcUrl, 'getBlock', [slot, { ...config, ...version }])
  return { ...(block as Omit<RawBlock, 'slot'>), slot }
}

function mintsOf(blocks: readonly RawBlock[]): string[] {
  const mints = new Set<string>()
  for (const { transactions } of blocks)
    for (const { meta } of transactions)
      for (const { mint } of meta.postTokenBalances ?? []) mints.add(mint)
  return [...mints]
}

async function readDecimals(
  rpcUrl: string,
  mints: readonly string[],
): Promise<Map<string, number>> {
  const decimals = new Map<string, number>()
  for (let at = 0; at < mints.length; at += accountsAtOnce) {
    const part = mints.slice(at, at + accountsAtOnce)
    const answer = await ask(rpcUrl, 'getMultipleAccounts', [part, { encoding: 'base64' }])
    const { value } = answer as { value: readonly ({ data: readonly [string, string] } | null)[] }
    for (const [place, account] of value.entries()) {
      const bytes = Buffer.from(account?.data[0] ?? '', 'base64')
      if (bytes.length > decimalsAt) decimals.set(part[place]!, bytes[decimalsAt]!)
    }
  }
  return decimals
}

/** Plain HTTP, so that nothing of what reads the chain for the service is between the node and the check. */
async function ask(rpcUrl: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as {
    result?: unknown
    error?: { message: string }
  }
  if (error !== undefined) throw new ChainInconsistentError(`${method}: ${error.message}`)
  return result
}
