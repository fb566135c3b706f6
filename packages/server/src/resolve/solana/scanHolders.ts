import { RpcError, type RpcErrorKind } from '../../chain/errors.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { mayHideHoldings, readMint } from '../../chain/solana/mintAccount.ts'
import { readAccounts } from '../../chain/solana/readAccounts.ts'
import { readHolders } from '../../chain/solana/readHolders.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { TransferScanQuery } from '../chainReader.ts'
import { TransfersRefusedError } from '../errors.ts'
import type { TransferSums } from '../tokens/transferSums.ts'

export type HolderScanOptions = {
  profile: Pick<ChainProfile, 'quotes'>
  rpc: Pick<Rpc, 'requestBatch' | 'request'>
  /**
   * Client that refuses answers too long to parse beside block processing. Null: nodes are not
   * asked for holders.
   */
  holders: Pick<Rpc, 'request' | 'supports'> | null
  /**
   * Owners under which programs keep the vaults of many pools: each vault counts as a separate
   * holder.
   */
  sharedOwners: ReadonlySet<string>
}

/**
 * Nodes report a token's current holders only, so all changes between the requested slot and the
 * head must be kept until the answer. Scans further behind the head are refused. About ten minutes.
 */
const slotsBehindMax = 1_500

// Errors for which a retry would get the same answer.
const permanentErrorKinds: ReadonlySet<RpcErrorKind> = new Set([
  'refused',
  'unknownMethod',
  'forbidden',
])

/** Reads a token's holders as of the requested slot or a later one. Null if there are too many. */
export async function scanHolders(
  options: HolderScanOptions,
  { token, to, walletsMax, signal }: TransferScanQuery,
): Promise<TransferSums | null> {
  const { profile, rpc, holders, sharedOwners } = options
  const refuse = (cause: unknown) => new TransfersRefusedError({ token, block: to.number, cause })
  if (holders === null || !holders.supports('getProgramAccounts'))
    throw refuse('Nodes of this chain keep no older balances')
  // Quote tokens have more holders than one answer can hold.
  if (profile.quotes.includes(token)) throw refuse('Quote tokens have too many holders to read')
  const newest = Number(await rpc.request('getSlot', [{ commitment: 'confirmed' }], { signal }))
  const oldest = newest - slotsBehindMax
  if (to.number < oldest) throw refuse('The block is too far behind the nodes')
  const [account = null] = await readAccounts(rpc, [token], { signal, isBackground: true })
  const mint = account && readMint(account)
  if (account === null || mint === null) throw refuse('The account is not a mint')
  if (mayHideHoldings(mint)) throw refuse('Balances of this token may be confidential')
  try {
    const query = { mint: token, program: account.owner, minSlot: to.number, signal }
    const { slot, holdings } = await readHolders(holders, query)
    const balances = new Map<string, bigint>()
    for (const { account, owner, amount } of holdings) {
      const holder = sharedOwners.has(owner) ? account : owner
      balances.set(holder, (balances.get(holder) ?? 0n) + amount)
    }
    if (balances.size > walletsMax) return null
    return { balances, voided: 0n, logCount: holdings.length, firstBlock: null, asOf: slot }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (error.kind === 'responseTooLarge') return null
    throw permanentErrorKinds.has(error.kind) ? refuse(error) : error
  }
}
