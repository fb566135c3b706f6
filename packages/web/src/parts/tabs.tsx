import type { ComponentChildren } from 'preact'

type Tab<name extends string> = { name: name; label: ComponentChildren }

type TabsProps<name extends string> = {
  label: string
  tabs: readonly Tab<name>[]
  chosen: name
  onChoose(name: name): void
  /** What the chosen one shows. */
  children: ComponentChildren
}

/** Tabs by the pattern of WAI-ARIA: arrows move, the chosen one is in the order of the Tab key. */
export function Tabs<name extends string>(props: TabsProps<name>) {
  const { label, tabs, chosen, onChoose, children } = props
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = tabs.findIndex(({ name }) => name === chosen)
    const next = tabs[(at + step + tabs.length) % tabs.length]!
    onChoose(next.name)
    document.getElementById(`tab-${next.name}`)?.focus()
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label}>
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            aria-controls="tab-panel"
            tabIndex={name === chosen ? 0 : -1}
            onKeyDown={move}
            onClick={() => onChoose(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${chosen}`}>
        {children}
      </div>
    </div>
  )
}
