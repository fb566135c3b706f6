import type { Status, UsageBody } from '@chaintape/protocol'
import { useEffect } from 'preact/hooks'
import { useChains } from '../data/chains.ts'
import { forgetKey, session } from '../data/session.ts'
import { link, rest } from '../data/tape.ts'
import { useQuery } from '../data/useQuery.ts'
import { countText, spanText } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'
import { Fact } from '../parts/facts.tsx'
import { Ago } from '../parts/values.tsx'

const everyMs = 5_000

type ChainStatus = Status['chains'][number]

const states = { live: 'live', catching_up: 'catching up', lagging: 'lagging' } as const

function ChainPanel({ chain }: { chain: ChainStatus }) {
  const isGood = chain.ready && chain.state === 'live'
  const faults = [
    ...[chain.reason, chain.paused_reason, chain.database_error, chain.rpc_error],
    chain.failed_check,
  ].filter(Boolean)
  const reading = chain.history_reading
  return (
    <section class="panel status-panel" aria-label={`Chain ${chain.chain}`}>
      <h2>
        <span class={`lamp ${isGood ? 'good' : 'warn'}`} aria-hidden="true" />
        {chain.chain} <span class={isGood ? 'soft' : 'warn-text'}>{states[chain.state]}</span>
        {chain.demo && <span class="badge">demo data</span>}
      </h2>
      {[...new Set(faults)].map((fault) => (
        <p key={fault} class="warn-text">
          {fault}
        </p>
      ))}
      <dl>
        <Fact name="Newest block" hint="Newest applied block and its age">
          <span class="number">{countText(chain.head_block)}</span>{' '}
          <span class="soft">
            <Ago timeS={chain.head_time ?? undefined} />
          </span>
        </Fact>
        <Fact name="Behind the nodes">
          {chain.lag_blocks === null ? '–' : `${countText(chain.lag_blocks)} blocks`}
          {chain.lag_s ? `, ${spanText(chain.lag_s)}` : ''}
        </Fact>
        <Fact name="Final">
          <span class="number">{countText(chain.finalized_block)}</span>
        </Fact>
        <Fact name="Stored">
          <span class="number">{countText(chain.persisted_block)}</span>
        </Fact>
        <Fact name="Waiting for the database">{`${countText(chain.queue_blocks)} of ${countText(chain.queue_blocks_max)}`}</Fact>
        <Fact name="Nodes">{chain.rpc_error === null ? 'answer' : 'fail'}</Fact>
        <Fact name="Tokens, pairs">{`${countText(chain.tokens)}, ${countText(chain.pairs)}`}</Fact>
        <Fact name="History">
          {chain.history_complete ? 'complete' : 'incomplete'} since block{' '}
          {countText(chain.first_block)}
        </Fact>
        <Fact name="Doubtful blocks">{countText(chain.doubtful_blocks)}</Fact>
      </dl>
      {chain.history_missing.map(({ msg }) => (
        <p key={msg} class="warn-text">
          {msg}
        </p>
      ))}
      {reading !== null && (
        <p class="soft">
          Reading the past: block {countText(reading.next_block)} of {countText(reading.to_block)},{' '}
          {countText(reading.blocks_per_s)} a second
          {reading.seconds_left !== null && `, ${spanText(reading.seconds_left)} left`}
        </p>
      )}
    </section>
  )
}

function UsagePanel({ usage }: { usage: UsageBody }) {
  const { credits, rate_limit: rate, total } = usage
  const used = useStore(session)
  return (
    <section class="panel status-panel" aria-label="Key">
      <h2>
        Key <span class="soft">{usage.key.name || `#${usage.key.id}`}</span>{' '}
        <span class="badge">{usage.plan}</span>
      </h2>
      <dl>
        <Fact name="Credits used">{countText(credits.used)}</Fact>
        <Fact name="Credits left">
          {credits.remaining === null ? 'no limit' : countText(credits.remaining)}
        </Fact>
        <Fact name="Requests a second">
          {rate.requests_per_s === null ? 'no limit' : countText(rate.requests_per_s)}
        </Fact>
        <Fact name="Requests">{`${countText(total.requests)}, ${countText(total.failed)} failed`}</Fact>
        {usage.operations.slice(0, 8).map(({ operation, requests, credits: cost }) => (
          <Fact
            key={operation}
            name={operation}
          >{`${countText(requests)} for ${countText(cost)}`}</Fact>
        ))}
      </dl>
      {used.state === 'open' && used.source === 'own' ? (
        <button type="button" class="plain" onClick={forgetKey}>
          Forget this key
        </button>
      ) : (
        <p class="soft">
          The page got this key for its token; it ends soon after the page is closed.
        </p>
      )}
    </section>
  )
}

/** How the chains, the connection and the key are doing. */
export function StatusPage() {
  const { status, isLost } = useChains()
  const state = useStore(link)
  const usage = useQuery('usage', (signal) => rest.usage({}, { signal }), { everyMs })
  useEffect(() => {
    document.title = 'Status · Chaintape'
  }, [])
  return (
    <main class="page">
      <h1>Status</h1>
      <p class="soft note">
        {isLost ? 'The service does not answer.' : 'The service answers.'}{' '}
        {state === 'live'
          ? 'Live updates are on.'
          : state === 'lost'
            ? 'Live updates are interrupted; reconnecting.'
            : ''}
      </p>
      <div class="status-grid">
        {status.map((chain) => (
          <ChainPanel key={chain.chain} chain={chain} />
        ))}
        {usage.data !== undefined && <UsagePanel usage={usage.data} />}
      </div>
    </main>
  )
}
