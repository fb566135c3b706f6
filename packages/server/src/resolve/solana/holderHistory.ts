import { RpcError, type RpcErrorKind } from '../../chain/errors.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { mayHideHoldings, readMint } from '../../chain/solana/mintAccount.ts'
import { readAccounts } from '../../chain/solana/readAccounts.ts'
import { readHolders } from '../../chain/solana/readHolders.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import type { TransferHistoryQuery } from '../chainReader.ts'
import { HistoryRefusedError } from '../errors.ts'
import type { HistorySums } from '../tokens/historySums.ts'

export type HolderHistoryOptions = {
  profile: Pick<ChainProfile, 'quotes'>
  rpc: Pick<Rpc, 'requestBatch' | 'request'>
  /** Gives up answers that are too long to be parsed beside blocks. Null: nodes are not asked for holders. */
  holders: Pick<Rpc, 'request' | 'supports'> | null
  /** Addresses under which many pools keep their vaults: each of these accounts is a holder of its own. */
  sharedOwners: ReadonlySet<string>
}

/**
 * Nodes tell who holds a token now, not who did: so many slots behind the head, what happens until then would have to be
 * kept for too long. About ten minutes.
 */
const slotsBehindMax = 1_500

// Asking again gets the same answer.
const standingKinds: ReadonlySet<RpcErrorKind> = new Set(['refused', 'unknownMethod', 'forbidden'])

/** Who holds a token as of a slot after the one that is asked for, or of that one. Null: too many. */
export async function readHolderHistory(
  options: HolderHistoryOptions,
  { token, to, walletsMax, signal }: TransferHistoryQuery,
): Promise<HistorySums | null> {
  const { profile, rpc, holders, sharedOwners } = options
  const refuse = (cause: unknown) => new HistoryRefusedError({ token, block: to.number, cause })
  if (holders === null || !holders.supports('getProgramAccounts'))
    throw refuse('Nodes of this chain keep no older balances')
  // Everybody has some of these.
  if (profile.quotes.includes(token)) throw refuse('It has more holders than can be asked for')
  const newest = Number(await rpc.request('getSlot', [{ commitment: 'confirmed' }], { signal }))
  const oldest = newest - slotsBehindMax
  if (to.number < oldest) throw refuse('Nodes are too far ahead')
  const [account = null] = await readAccounts(rpc, [token], { signal, isBackground: true })
  const mint = account && readMint(account)
  if (account === null || mint === null) throw refuse('It is no mint')
  if (mayHideHoldings(mint)) throw refuse('What is held of it may be hidden')
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
    throw standingKinds.has(error.kind) ? refuse(error) : error
  }
}
