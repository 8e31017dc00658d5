import { useState } from 'preact/hooks';
import { askWho, logIn } from '../state/api';
import { ended } from '../state/session';
import { Trouble } from '../ui/basics';

/** Asks for a token, or a name and a password. */
export function LoginPage() {
  const [error, setError] = useState<Error | null>(null);
  const login = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    try {
      await logIn({ name: String(form.get('name')), secret: String(form.get('secret')) });
      await askWho();
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <main class="login">
      <h1>Quartz</h1>
      <p>Sign in with a name and password, or with a token.{ended.value && ' Your session has ended.'}</p>
      <form onSubmit={login}>
        <label class="field">
          <span>Name</span>
          <input name="name" autocomplete="username" />
          <small>Empty for a token.</small>
        </label>
        <label class="field">
          <span>Token or password</span>
          <input name="secret" type="password" required autocomplete="current-password" />
        </label>
        <Trouble error={error} />
        <button type="submit" class="primary">
          Log in
        </button>
      </form>
    </main>
  );
}
