import { useState } from 'preact/hooks'
import { enterKey } from '../data/session.ts'

/** Asks for an API key where the page has no token, or the service refused its key. */
export function KeyPrompt({ reason }: { reason: string }) {
  const [text, setText] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() !== '') enterKey(text.trim())
  }
  return (
    <main class="page message">
      <form class="panel key-prompt" onSubmit={submit}>
        <h1>API key</h1>
        <p role="alert">{reason}</p>
        <label>
          <span class="hidden">API key</span>
          <input
            type="password"
            autoComplete="off"
            spellcheck={false}
            placeholder="ct_…"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Open the terminal
        </button>
        <p class="soft">
          The key stays in this tab and is gone when you close it. A start on the local chain prints
          one; else create one with the flags that the service was started with:{' '}
          <code>npx --no-install chaintape keys create</code>
        </p>
      </form>
    </main>
  )
}
