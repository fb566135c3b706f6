import type { ComponentChildren } from 'preact'

/** A name and its value, for lists of such. */
export const Fact = ({
  name,
  hint,
  children,
}: {
  name: string
  hint?: string
  children: ComponentChildren
}) => (
  <div class="fact">
    <dt title={hint}>{name}</dt>
    <dd>{children}</dd>
  </div>
)

type SplitProps = { label: string; buys: number; sells: number; text(value: number): string }

/** Buys against sells, as a bar. */
export function Split({ label, buys, sells, text }: SplitProps) {
  const share = buys + sells === 0 ? 0.5 : buys / (buys + sells)
  return (
    <div class="split">
      <span class="up number">{text(buys)}</span>
      <span class="soft">{label}</span>
      <span class="down number">{text(sells)}</span>
      <span class="split-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </div>
  )
}

/** A figure that stands alone, with what it is. */
export const Tile = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div class="tile">
    <dt class="soft">{label}</dt>
    <dd>{children}</dd>
  </div>
)

/** Keeps the room of facts that are asked for. */
export const NoFacts = () => (
  <aside class="panel facts" aria-label="Facts" aria-busy="true">
    <p class="empty">Loading…</p>
  </aside>
)
