import { useChains } from '../data/chains.ts'
import { link } from '../data/tape.ts'
import { countText, spanText } from '../lib/format.ts'
import { useStore } from '../lib/store.ts'

const words = { live: 'live', catching_up: 'catching up', lagging: 'lagging' } as const

/** The newest block of each chain and how far it is behind: always in sight. */
export function ChainState() {
  const { status, isLost } = useChains()
  const state = useStore(link)
  if (isLost || state === 'lost')
    return (
      <p class="chain-state" role="status">
        <span class="lamp bad" aria-hidden="true" /> No connection; trying again…
      </p>
    )
  return (
    <p class="chain-state">
      {status.slice(0, 3).map((chain) => {
        const isGood = chain.state === 'live' && chain.ready
        const behind = chain.lag_s ? `, ${spanText(chain.lag_s)} behind` : ''
        return (
          <a
            key={chain.chain}
            href="/status"
            title={chain.reason ?? `${chain.chain}: newest block`}
          >
            <span class={`lamp ${isGood ? 'good' : 'warn'}`} aria-hidden="true" />
            {chain.chain} {chain.demo && <span class="badge">demo</span>}{' '}
            <span class="number">{countText(chain.head_block)}</span>
            <span class={isGood ? 'hidden' : 'warn-text'}>
              {' '}
              {words[chain.state]}
              {behind}
            </span>
          </a>
        )
      })}
    </p>
  )
}
