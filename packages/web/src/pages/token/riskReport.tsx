import type { ContractRisk } from '@chaintape/protocol'
import { rest } from '../../data/tape.ts'
import { useQuery } from '../../data/useQuery.ts'
import { shareText, usdText } from '../../lib/format.ts'
import { Ago } from '../../parts/values.tsx'
import { riskItemWords } from './riskItemWords.ts'

type Tone = 'bad' | 'good' | 'open'
type Finding = { text: string; tone: Tone; evidence: string }

const isYes = (value: unknown) => value === 1 || value === '1'

/** What a flag of the report means, said either way; what is not there was not determined. */
const flags: readonly [name: keyof ContractRisk, yes: string, no: string][] = [
  ['has_mint_method', 'The supply can be increased', 'The supply cannot be increased'],
  [
    'owner_change_balance',
    'An account can change the balances of others',
    'No account can change balances',
  ],
  ['has_black_method', 'Single accounts can be blocked', 'Single accounts cannot be blocked'],
  ['transfer_pausable', 'Transfers can be paused', 'Transfers cannot be paused'],
  ['is_upgradeable', 'Its code can be replaced', 'Its code is final'],
  ['slippage_modifiable', 'Its tax can be changed', 'Its tax cannot be changed'],
  ['is_anti_whale', 'Amounts are limited', 'Amounts are not limited'],
  ['trading_cooldown', 'Accounts must wait between trades', 'No wait between trades'],
  ['hidden_owner', 'A hidden account has owner powers', 'No hidden owner'],
  ['can_take_back_ownership', 'A renounced owner can come back', 'A renounced owner stays away'],
  ['selfdestruct', 'The contract can self-destruct', 'The contract cannot self-destruct'],
  ['external_call', 'A transfer calls another contract', 'Transfers call no other contract'],
  [
    'honeypot_with_same_creator',
    'Its creator also created a honeypot',
    'No known honeypot of its creator',
  ],
  [
    'big_lp_without_any_lock',
    'One account can withdraw a fifth of the liquidity',
    'No single account can drain the liquidity',
  ],
  ['analysis_big_wallet', 'One free holder has more than 5 %', 'No free holder has more than 5 %'],
  [
    'has_top10_holder_amount_over_30',
    'Ten free holders have more than 30 %',
    'Ten free holders have at most 30 %',
  ],
]

function tradeFinding(risk: ContractRisk): Finding {
  const evidence = 'simulated trade'
  if (risk.is_honeypot === 1) return { text: 'Bought tokens cannot be sold', tone: 'bad', evidence }
  if (risk.is_honeypot === 0)
    return {
      text: 'It can be bought, transferred and sold',
      tone: 'good',
      evidence,
    }
  return {
    text: `Trading was not simulated${risk.err_msg && `: ${risk.err_msg}`}`,
    tone: 'open',
    evidence,
  }
}

function taxFindings({ buy_tax: buy, sell_tax: sell }: ContractRisk): Finding[] {
  if (buy === undefined && sell === undefined) return []
  const most = Math.max(buy ?? 0, sell ?? 0)
  const text = `Tax: ${buy ?? '?'} % on a buy, ${sell ?? '?'} % on a sale`
  return [{ text, tone: most > 5 ? 'bad' : 'good', evidence: 'simulated trade' }]
}

function findingsOf(risk: ContractRisk): Finding[] {
  const known = flags.flatMap(([name, yes, no]): Finding[] => {
    const value = risk[name]
    if (value === undefined) return []
    return [{ text: isYes(value) ? yes : no, tone: isYes(value) ? 'bad' : 'good', evidence: name }]
  })
  const order: readonly Tone[] = ['bad', 'open', 'good']
  return [tradeFinding(risk), ...taxFindings(risk), ...known].sort(
    (a, b) => order.indexOf(a.tone) - order.indexOf(b.tone),
  )
}

const marks: Readonly<Record<Tone, string>> = { bad: '!', good: '✓', open: '?' }
const words: Readonly<Record<Tone, string>> = { bad: 'Warning', good: 'Good', open: 'Unknown' }

/** What the contract can do to its holders, in words, each with what says so. */
export function RiskReport({ id }: { id: string }) {
  const { data, error } = useQuery(id, (signal) => rest.contractRisk(id, {}, { signal }))
  if (data === undefined) return <p class="empty">{error ?? 'Checking the contract…'}</p>
  if (!('risk_score' in data)) return <p class="empty">Nothing is known about this contract.</p>
  const risk = data as ContractRisk
  const { risk_score: score } = risk
  const tone = score > 55 ? 'bad' : score >= 30 ? 'open' : 'good'
  return (
    <section class="risk" aria-label="Risk">
      <header>
        <strong class={`score ${tone}`}>{score}</strong>
        <div>
          <p>Risk score out of 100; 0 means no findings.</p>
          <p class="soft">
            Checked <Ago timeS={risk.updated_at} /> ago at block {risk.checked_block}.
            {risk.creator_percent !== undefined &&
              ` The creator has ${shareText(risk.creator_percent)}.`}
            {risk.analysis_lp_current_volume !== undefined &&
              ` The deepest pool holds ${usdText(risk.analysis_lp_current_volume)}.`}
          </p>
        </div>
      </header>
      <ul>
        {findingsOf(risk).map(({ text, tone: mark, evidence }) => (
          <li key={evidence + text} class={mark}>
            <span class="mark" aria-hidden="true">
              {marks[mark]}
            </span>
            <span class="hidden">{words[mark]}: </span>
            <span>{text}</span> <code class="soft">{evidence}</code>
          </li>
        ))}
      </ul>
      {risk.risk_items.length > 0 && (
        <p class="soft">
          The score:{' '}
          {risk.risk_items
            .map(({ code, points }) => `${points} since ${riskItemWords[code] ?? code}`)
            .join(' + ')}
        </p>
      )}
    </section>
  )
}
