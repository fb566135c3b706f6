import type { ChainProfile } from '../model/chainProfile.ts'
import { isVaultPoolAccount } from '../model/pair.ts'
import type { ChainReader } from '../resolve/chainReader.ts'
import type { HoldingSample, HoldingSampleQuery } from '../store/read/auditRows.ts'
import type { AuditFinding } from './auditFinding.ts'

export type AuditHoldingsOptions = {
  profile: ChainProfile
  reader: Pick<ChainReader, 'readBalances'>
  store: { loadHoldingSample(query: HoldingSampleQuery): Promise<HoldingSample> }
  chainId: number
  /** Start of the sample among all tokens, from 0 to 1. */
  place: number
}

export type AuditedHoldings = {
  count: number
  findings: readonly AuditFinding[]
  /** Why no balance was compared; null if some were. */
  notChecked: string | null
}

const tokensMax = 20
const holdersMax = 5

/**
 * Compares stored balances of some wallets with those that the tokens report, right after the
 * newest stored block.
 */
export async function auditHoldings(options: AuditHoldingsOptions): Promise<AuditedHoldings> {
  const { profile, reader, store, chainId, place } = options
  const nothing = (notChecked: string) => ({ count: 0, findings: [], notChecked })
  if (reader.readBalances === undefined)
    return nothing('Balances: chains of this kind are not asked for them.')
  const query = { chainId, tokensMax, holdersMax }
  const { tokenCount } = await store.loadHoldingSample({ ...query, fromTokenId: 0, tokensMax: 0 })
  const fromTokenId = Math.floor(place * Math.max(0, tokenCount - tokensMax))
  const { holdings, number, hash } = await store.loadHoldingSample({ ...query, fromTokenId })
  const asked = holdings.filter(
    ({ token, wallet }) =>
      token !== profile.native.coin &&
      !isVaultPoolAccount(wallet) &&
      !profile.burnAddresses.includes(wallet),
  )
  const answers = await reader.readBalances(asked, { number, hash }).catch(() => null)
  if (answers === null) return nothing(`Balances: no node has the state of block ${number}.`)
  const findings = asked.flatMap(({ token, wallet, balance }, at): AuditFinding[] => {
    const told = answers[at] ?? null
    if (told === null || told === balance) return []
    const msg = `Token ${token}: ${wallet} has ${told} at block ${number}, ${balance} is stored.`
    return [{ kind: 'balance', block: null, msg }]
  })
  return { count: answers.filter((answer) => answer !== null).length, findings, notChecked: null }
}
