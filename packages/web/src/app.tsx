import { session } from './data/session.ts'
import { type PageName, type Route, useRoute } from './lib/route.ts'
import { useStore } from './lib/store.ts'
import { switchTheme, theme } from './lib/theme.ts'
import { KeysPage } from './pages/keysPage.tsx'
import { LaunchesPage } from './pages/launches/launchesPage.tsx'
import { MarketsPage } from './pages/markets/marketsPage.tsx'
import { PairPage } from './pages/pairPage.tsx'
import { StatusPage } from './pages/statusPage.tsx'
import { TokenPage } from './pages/token/tokenPage.tsx'
import { WalletPage } from './pages/wallet/walletPage.tsx'
import { ChainState } from './parts/chainState.tsx'
import { KeyPrompt } from './parts/keyPrompt.tsx'
import { Message } from './parts/message.tsx'
import { openSearch, Search } from './parts/search.tsx'

const links: readonly [page: PageName, href: string, label: string][] = [
  ['markets', '/', 'Markets'],
  ['launches', '/launches', 'Launches'],
  ['status', '/status', 'Status'],
  ['keys', '/keys', 'Keys'],
]

function Page({ route }: { route: Route | null }) {
  if (route === null) return <Message text="Page not found." />
  const { page, id } = route
  switch (page) {
    case 'token':
      return <TokenPage id={id} />
    case 'pair':
      return <PairPage id={id} />
    case 'wallet':
      return <WalletPage id={id} />
    case 'launches':
      return <LaunchesPage />
    case 'status':
      return <StatusPage />
    case 'keys':
      return <KeysPage />
    case 'markets':
      return <MarketsPage />
  }
}

function Header({ page }: { page: PageName | undefined }) {
  const current = useStore(theme)
  return (
    <header class="top">
      <a class="brand" href="/">
        <img src="/docs/icon.svg" alt="" width="22" height="22" />
        <span>Chaintape</span>
      </a>
      <nav aria-label="Pages">
        {links.map(([name, href, label]) => (
          <a key={name} href={href} aria-current={page === name ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <button type="button" class="search-button" onClick={openSearch}>
        <span>Search</span> <kbd>Ctrl K</kbd>
      </button>
      <ChainState />
      <button
        type="button"
        class="icon-button"
        aria-label={`Use the ${current === 'dark' ? 'light' : 'dark'} theme`}
        onClick={switchTheme}
      >
        {current === 'dark' ? '☀' : '☾'}
      </button>
    </header>
  )
}

/** The terminal. */
export function App() {
  const route = useRoute()
  const { state, ...rest } = useStore(session)
  return (
    <>
      <Header page={route?.page} />
      {state === 'locked' && 'reason' in rest ? (
        <KeyPrompt reason={rest.reason} />
      ) : (
        <Page route={route} />
      )}
      <footer class="foot soft">
        <a href="/docs/">Reference</a>
        <a href="/openapi.json">OpenAPI</a>
        <a href="/asyncapi.json">AsyncAPI</a>
        <span class="grow" />
        <span>
          Charts by{' '}
          <a href="https://www.tradingview.com/" rel="noreferrer">
            TradingView
          </a>{' '}
          Lightweight Charts™
        </span>
      </footer>
      <Search />
    </>
  )
}
