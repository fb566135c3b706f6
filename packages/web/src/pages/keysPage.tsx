import { useEffect, useState } from 'preact/hooks'
import { type Admin, createAdmin, type ListedKey, type MadeKey } from '../data/admin.ts'
import { countText } from '../lib/format.ts'
import { Ago, Copy } from '../parts/values.tsx'
import { type Column, VirtualTable } from '../parts/virtualTable.tsx'

const plans = ['free', 'normal', 'pro', 'unlimited'] as const

function stateOf({
  revoked_at: revoked,
  expires_at: expires,
}: ListedKey): [text: string, tone: string] {
  if (revoked !== null) return ['revoked', 'down']
  if (expires !== null && expires * 1_000 <= Date.now()) return ['expired', 'flat']
  return ['works', 'up']
}

const columns = (
  act: (work: (admin: Admin) => Promise<unknown>) => void,
): readonly Column<ListedKey>[] => [
  { name: 'id', label: 'Id', width: '4rem', cell: ({ id }) => <span class="number">{id}</span> },
  {
    name: 'name',
    label: 'Name',
    width: 'auto',
    isText: true,
    cell: ({ name }) => name || <span class="soft">none</span>,
  },
  {
    name: 'plan',
    label: 'Plan',
    width: '7rem',
    isText: true,
    cell: ({ plan }) => <span class="badge">{plan}</span>,
  },
  {
    name: 'state',
    label: 'State',
    width: '6rem',
    isText: true,
    cell: (key) => <span class={stateOf(key)[1]}>{stateOf(key)[0]}</span>,
  },
  {
    name: 'requests',
    label: 'Requests',
    hint: 'In this month',
    width: '7rem',
    rank: 2,
    cell: ({ period }) => countText(period.requests),
  },
  {
    name: 'credits',
    label: 'Credits',
    hint: 'In this month',
    width: '8rem',
    rank: 2,
    cell: ({ period }) => countText(period.credits),
  },
  {
    name: 'made',
    label: 'Made',
    width: '5rem',
    rank: 3,
    cell: (key) => <Ago timeS={key.created_at} />,
  },
  {
    name: 'acts',
    label: 'Do',
    width: '11rem',
    cell: (key) =>
      stateOf(key)[0] === 'works' && (
        <>
          <button type="button" class="plain" onClick={() => act((admin) => admin.rotate(key.id))}>
            Rotate
          </button>{' '}
          <button
            type="button"
            class="plain down"
            onClick={() => act((admin) => admin.revoke(key.id))}
          >
            Revoke
          </button>
        </>
      ),
  },
]

function CreateForm({ onCreate }: { onCreate(given: { name: string; plan: string }): void }) {
  const [name, setName] = useState('')
  const [plan, setPlan] = useState<string>('free')
  const submit = (event: Event) => {
    event.preventDefault()
    onCreate({ name, plan })
    setName('')
  }
  return (
    <form class="toolbar" onSubmit={submit}>
      <label class="field">
        Name
        <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
      <label class="field">
        Plan
        <input
          list="plans"
          value={plan}
          required
          onInput={({ currentTarget }) => setPlan(currentTarget.value)}
        />
        <datalist id="plans">
          {plans.map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
      </label>
      <button type="submit" class="primary">
        Make a key
      </button>
    </form>
  )
}

function AdminForm({ onOpen, error }: { onOpen(adminKey: string): void; error: string | null }) {
  const [text, setText] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    onOpen(text)
  }
  return (
    <form class="panel key-prompt" onSubmit={submit}>
      <h1>Keys</h1>
      <p class="soft">
        The admin key of this service (<code>admin_key</code>, better{' '}
        <code>CHAINTAPE_ADMIN_KEY</code>) opens them. It is kept nowhere: leaving this page forgets
        it.
      </p>
      <label>
        <span class="hidden">Admin key</span>
        <input
          type="password"
          autoComplete="off"
          placeholder="Admin key"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        Open
      </button>
      {error !== null && (
        <p class="down" role="alert">
          {error}
        </p>
      )}
    </form>
  )
}

/** Makes, lists, rotates and revokes API keys with the admin key. */
export function KeysPage() {
  const [admin, setAdmin] = useState<Admin | null>(null)
  const [keys, setKeys] = useState<readonly ListedKey[]>([])
  const [made, setMade] = useState<MadeKey | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    document.title = 'Keys · Chaintape'
  }, [])

  async function run(by: Admin, work: (admin: Admin) => Promise<unknown>): Promise<void> {
    try {
      const done = await work(by)
      setMade(typeof done === 'object' && done !== null && 'key' in done ? (done as MadeKey) : null)
      setKeys(await by.list())
      setAdmin(by)
      setError(null)
    } catch (fault) {
      setError(fault instanceof Error ? fault.message : String(fault))
    }
  }

  if (admin === null)
    return (
      <main class="page message">
        <AdminForm error={error} onOpen={(text) => void run(createAdmin(text), async () => null)} />
      </main>
    )
  return (
    <main class="page fill">
      <h1 class="hidden">Keys</h1>
      <CreateForm onCreate={(given) => void run(admin, () => admin.create(given))} />
      {error !== null && (
        <p class="down note" role="alert">
          {error}
        </p>
      )}
      {made !== null && (
        <p class="made note" role="status">
          The key of {made.name || `#${made.id}`}, shown this once: <code>{made.key}</code>{' '}
          <Copy text={made.key} />
        </p>
      )}
      <VirtualTable
        label="Keys"
        rows={keys}
        columns={columns((work) => void run(admin, work))}
        rowKey={({ id }) => `${id}`}
        empty="No keys yet. Create one above."
      />
    </main>
  )
}
