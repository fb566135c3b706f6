import './early.ts'
import './styles/base.css'
import './styles/shell.css'
import './styles/tables.css'
import './styles/market.css'
import './styles/pages.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { startChains } from './data/chains.ts'
import { startRouting } from './lib/route.ts'
import { startTheme } from './lib/theme.ts'
import { startSearchKeys } from './parts/search.tsx'

startTheme()
startRouting()
startSearchKeys()
startChains()
render(<App />, document.getElementById('app')!)
