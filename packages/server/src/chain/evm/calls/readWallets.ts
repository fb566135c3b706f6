import type { HoldingsQuery, WalletFacts, WalletHoldings } from '../../../model/walletFacts.ts'
import { RpcError, type RpcErrorKind } from '../../errors.ts'
import type { RpcCall, RpcResult } from '../../rpc/rpcCall.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'
import type { Multicall } from './multicall.ts'

export type WalletRpc = Pick<EvmRpc, 'requestBatch'>

/**
 * Init code for one eth_call, which is never deployed. Addresses of 20 bytes follow it. For each
 * address it returns balance, code size and the first three code bytes, a word each: one call
 * instead of two per address.
 *
 *       PUSH1 0 PUSH1 59                                               output offset, next address
 *   4:  JUMPDEST DUP1 CODESIZE EQ PUSH1 54 JUMPI
 *       PUSH1 20 DUP2 DUP4 PUSH1 12 ADD CODECOPY DUP2 MLOAD            the address
 *       DUP1 BALANCE DUP4 MSTORE
 *       DUP1 EXTCODESIZE DUP4 PUSH1 32 ADD MSTORE
 *       PUSH1 3 PUSH1 0 DUP5 PUSH1 64 ADD DUP4 EXTCODECOPY POP
 *       PUSH1 20 ADD SWAP1 PUSH1 96 ADD SWAP1 PUSH1 4 JUMP
 *  54:  JUMPDEST POP PUSH1 0 RETURN
 */
const readerCode =
  '0x6000603b5b80381460365760148183600c0139815180318352803b83602001526003600084604001833c5060140190606001906004565b506000f3'
// The answer is returned as contract code, which is limited to 24,576 bytes.
const addressesPerCallMax = 200
const wordChars = 64
const answerChars = 3 * wordChars

// Code of a wallet that delegates to a contract (EIP-7702) starts with this prefix; it still counts
// as a wallet.
const delegationPrefix = 'ef0100'

// Errors after which a request in another form would fail as well.
const silentKinds: ReadonlySet<RpcErrorKind> = new Set([
  'unreachable',
  'timeout',
  'rateLimited',
  'forbidden',
  'aborted',
])

/**
 * Reads native balance and code size of each address at the head. Unanswered values are null. Never
 * rejects.
 */
export async function readWallets(
  rpc: WalletRpc,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, WalletFacts>> {
  const chunks: (readonly string[])[] = []
  for (let at = 0; at < addresses.length; at += addressesPerCallMax)
    chunks.push(addresses.slice(at, at + addressesPerCallMax))
  const results = await rpc.requestBatch(chunks.map(readerCall), { signal, roundsMax: 1 })
  const answers = await Promise.all(
    chunks.map((chunk, at) => decoded(chunk, results[at]!) ?? readSingly(rpc, chunk, signal)),
  )
  return new Map(answers.flat())
}

function readerCall(addresses: readonly string[]): RpcCall {
  const data = readerCode + addresses.map((address) => address.slice(2)).join('')
  return { method: 'eth_call', params: [{ data }, 'latest'] }
}

/** Decodes the answer; null if the node does not run undeployed code. */
function decoded(addresses: readonly string[], result: RpcResult): [string, WalletFacts][] | null {
  if (!result.ok && silentKinds.has(result.error.kind))
    return addresses.map((address) => [address, { nativeRaw: null, isContract: null }])
  const { value } = result as { value?: unknown }
  if (typeof value !== 'string' || value.length !== 2 + addresses.length * answerChars) return null
  return addresses.map((address, index) => {
    const at = 2 + index * answerChars
    const [balance, size, code] = [0, 1, 2].map((word) =>
      value.slice(at + word * wordChars, at + (word + 1) * wordChars),
    ) as [string, string, string]
    const isContract = BigInt(`0x${size}`) > 0n && !code.startsWith(delegationPrefix)
    return [address, { nativeRaw: BigInt(`0x${balance}`), isContract }]
  })
}

async function readSingly(
  rpc: WalletRpc,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<[string, WalletFacts][]> {
  const calls = ['eth_getBalance', 'eth_getCode'].flatMap((method) =>
    addresses.map((address) => ({ method, params: [address, 'latest'] })),
  )
  const results = await rpc.requestBatch(calls, { signal })
  return addresses.map((address, at) => {
    const balance = hexOf(results[at]!)
    const code = hexOf(results[addresses.length + at]!)
    return [
      address,
      {
        nativeRaw: balance === null || balance === '0x' ? null : BigInt(balance),
        isContract:
          code === null ? null : code !== '0x' && !code.startsWith(`0x${delegationPrefix}`),
      },
    ]
  })
}

function hexOf(result: RpcResult): string | null {
  if (!result.ok || typeof result.value !== 'string') return null
  return /^0x[0-9a-f]*$/i.test(result.value) ? result.value.toLowerCase() : null
}

// Selector of balanceOf(address).
const selector = '0x70a08231'
// Tokens that count shares or query a rate need more gas than the few thousand of most tokens.
const gasPerCallMax = 200_000
const word = /^0x[0-9a-f]{64}/i

/**
 * Reads wallets' balances after a block, as the token reports them. Unanswered wallets are missing.
 */
export async function readHoldings(
  multicall: Multicall,
  { token, wallets, number }: HoldingsQuery,
  signal: AbortSignal,
): Promise<WalletHoldings> {
  const calls = wallets.map((wallet) => ({ to: token, data: callOf(wallet) }))
  const answers = await multicall
    .call(calls, { number }, { gasPerCallMax, signal })
    .catch((error: unknown) => {
      if (error instanceof RpcError) return []
      throw error
    })
  const holdings = new Map<string, bigint>()
  for (const [at, answer] of answers.entries()) {
    const [amount] = (answer.ok && word.exec(answer.data)) || []
    if (amount !== undefined) holdings.set(wallets[at]!, BigInt(amount))
  }
  return holdings
}

function callOf(wallet: string): string {
  return selector + wallet.slice(2).padStart(64, '0')
}
