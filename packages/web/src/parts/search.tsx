import type { TokenRow } from '@chaintape/protocol'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { rest } from '../data/tape.ts'
import { useQuery } from '../data/useQuery.ts'
import { figureOf, shortAddress } from '../lib/format.ts'
import { navigate } from '../lib/route.ts'
import { createStore, useStore } from '../lib/store.ts'
import { Percent, Price, Usd } from './values.tsx'

const isOpen = createStore(false)

export const openSearch = () => isOpen.set(true)

/** Ctrl-K or / from anywhere, unless something is being typed. */
export function startSearchKeys(): void {
  addEventListener('keydown', (event) => {
    const isTyping = (event.target as Element).matches?.('input,select,textarea')
    const isAsked =
      (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping)
    if (!isAsked) return
    event.preventDefault()
    isOpen.set(true)
  })
}

const hrefOf = ({ token, chain }: TokenRow) => `/token/${token}-${chain}`

function Results({
  rows,
  at,
  onOpen,
}: {
  rows: readonly TokenRow[]
  at: number
  onOpen(row: TokenRow): void
}) {
  return (
    <div id="found" role="listbox" aria-label="Tokens found">
      {rows.map((row, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard stays in the field, as in every combobox
        <div
          key={hrefOf(row)}
          id={`found-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onClick={() => onOpen(row)}
        >
          <span class="token-cell">
            <strong>{row.symbol || '?'}</strong>
            <span class="soft name">{row.name}</span>
            <span class="badge">{row.chain}</span>
            <span class="soft mono">{shortAddress(row.token)}</span>
          </span>
          <Price value={row.current_price_usd} />
          <Percent value={row.price_change_24h} />
          <Usd value={figureOf(row, 'tvl')} />
        </div>
      ))}
    </div>
  )
}

function SearchBox() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const keyword = text.trim()
  const { data, error } = useQuery(`search ${keyword}`, async (signal) =>
    keyword === '' ? [] : rest.searchTokens({ keyword, limit: 20 }, { signal }),
  )
  const rows = data ?? []
  // Before the next key: what is typed right after Ctrl-K belongs to the field.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useLayoutEffect(() => setAt(0), [data])

  const open = (row: TokenRow) => {
    dialog.current?.close()
    navigate(hrefOf(row))
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const row = rows[at]
    if (step !== undefined && rows.length > 0) setAt((at + step + rows.length) % rows.length)
    else if (event.key === 'Enter' && row !== undefined) open(row)
    else return
    event.preventDefault()
  }

  return (
    <dialog
      ref={dialog}
      class="search"
      aria-label="Search tokens"
      onClose={() => isOpen.set(false)}
    >
      <input
        type="text"
        // biome-ignore lint/a11y/noRedundantRoles: it is one only with a list of its own
        role="combobox"
        list={undefined}
        aria-expanded={rows.length > 0}
        aria-controls="found"
        aria-activedescendant={rows.length > 0 ? `found-${at}` : undefined}
        aria-label="Symbol, name or address"
        placeholder="Symbol, name or address"
        autoComplete="off"
        spellcheck={false}
        value={text}
        onKeyDown={onKey}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Results rows={rows} at={at} onOpen={open} />
      <p class="soft hint" role="status">
        {error ??
          (keyword === ''
            ? '↑ ↓ choose, Enter opens, Esc closes'
            : data === undefined
              ? 'Searching…'
              : rows.length === 0
                ? 'No matches.'
                : `${rows.length} found`)}
      </p>
    </dialog>
  )
}

export const Search = () => (useStore(isOpen) ? <SearchBox /> : null)
