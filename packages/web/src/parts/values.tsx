import { useEffect, useRef } from 'preact/hooks'
import { type Explored, explorerUrl } from '../lib/explorers.ts'
import {
  exactText,
  percentText,
  priceText,
  shortAddress,
  shortText,
  spanText,
  timeText,
  usdText,
} from '../lib/format.ts'
import { createStore, useStore } from '../lib/store.ts'

const now = createStore(Date.now())
setInterval(() => document.hidden || now.set(Date.now()), 1_000)

/** Unix seconds, told again every second. */
export const useNowS = (): number => Math.floor(useStore(now) / 1_000)

type ValueProps = { value: string | number | undefined }

/** A price that stays. All of its digits are in the hint. */
export const FixedPrice = ({ value }: ValueProps) => (
  <span class="number" title={`$${exactText(value)}`}>
    ${priceText(value)}
  </span>
)

/** A price that flashes when it moves. */
export function Price({ value, unit = '$' }: ValueProps & { unit?: string }) {
  const before = useRef(value)
  const moved = Number(value) - Number(before.current)
  useEffect(() => {
    before.current = value
  }, [value])
  const flash = moved > 0 ? 'flash-up' : moved < 0 ? 'flash-down' : ''
  return (
    // Another element for another value: its flash begins again.
    <span key={value} class={`number ${flash}`} title={`${unit}${exactText(value)}`}>
      {unit}
      {priceText(value)}
    </span>
  )
}

export const Usd = ({ value }: ValueProps) => (
  <span class="number" title={`$${exactText(value)}`}>
    {usdText(value)}
  </span>
)

export const Amount = ({ value }: ValueProps) => (
  <span class="number" title={exactText(value)}>
    {shortText(value)}
  </span>
)

export function Percent({ value }: ValueProps) {
  const text = percentText(value)
  const tone = text.startsWith('+') ? 'up' : text.startsWith('-') ? 'down' : 'flat'
  return (
    <span class={`number ${tone}`} title={`${exactText(value)} %`}>
      {text}
    </span>
  )
}

/** A change with the window that it is of, on one line. */
export const ChangeOf = ({ value, window }: ValueProps & { window: string }) => (
  <span class="change">
    <Percent value={value} /> <span class="soft">{window}</span>
  </span>
)

/** How long ago; the time itself is in the hint. */
export function Ago({ timeS }: { timeS: number | undefined }) {
  const nowS = useNowS()
  if (!timeS) return <span class="soft">–</span>
  return (
    <time class="number" dateTime={new Date(timeS * 1_000).toISOString()} title={timeText(timeS)}>
      {spanText(nowS - timeS)}
    </time>
  )
}

export const WalletLink = ({ address, chain }: { address: string; chain: string }) => (
  <a class="mono" href={`/wallet/${address}-${chain}`} title={address}>
    {shortAddress(address)}
  </a>
)

/** Where others show it; nothing where nobody does. */
export function ExplorerLink(props: { chain: string; kind: Explored; id: string }) {
  const href = explorerUrl(props.chain, props.kind, props.id)
  if (href === null) return null
  return (
    <a class="copy" href={href} target="_blank" rel="noreferrer noopener">
      Explorer ↗
    </a>
  )
}

/** An address to copy. */
export function Copy({ text }: { text: string }) {
  const button = useRef<HTMLButtonElement>(null)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    button.current?.classList.add('copied')
    setTimeout(() => button.current?.classList.remove('copied'), 1_200)
  }
  return (
    <button ref={button} type="button" class="copy mono" title={`${text}: copy`} onClick={copy}>
      {shortAddress(text)}{' '}
      <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
        <path
          fill="none"
          stroke="currentColor"
          stroke-width="1.5"
          d="M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3"
        />
      </svg>
    </button>
  )
}
