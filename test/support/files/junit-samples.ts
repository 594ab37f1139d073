/** A small report in the style of one tool, and its content. */
export interface JunitSample {
  readonly tool: string;
  readonly xml: string;
  /** Each test: its suite, class and name, and how it ended. */
  readonly tests: readonly (readonly [suite: string, className: string, name: string, outcome: string])[];
  /** A part of the first failure's message or text. */
  readonly says: string;
}

const head = '<?xml version="1.0" encoding="UTF-8"?>\n';

const surefire: JunitSample = {
  tool: "Maven Surefire",
  xml: `${head}<testsuite name="org.example.CartTest" time="0.2" tests="4" errors="1" skipped="1" failures="1">
  <properties><property name="java.version" value="21"/></properties>
  <testcase name="adds" classname="org.example.CartTest" time="0.01"/>
  <testcase name="removes" classname="org.example.CartTest" time="1,234.5">
    <failure message="expected: &lt;3&gt; but was: &lt;4&gt;" type="org.opentest4j.AssertionFailedError"><![CDATA[org.opentest4j.AssertionFailedError: expected: <3> but was: <4>
	at org.example.CartTest.removes(CartTest.java:12)
	at java.base/java.lang.reflect.Method.invoke(Method.java:580)
]]></failure>
    <rerunFailure message="expected: &lt;3&gt; but was: &lt;5&gt;" type="x"><stackTrace>again</stackTrace></rerunFailure>
    <system-out><![CDATA[some output]]></system-out>
  </testcase>
  <testcase name="later" classname="org.example.CartTest" time="0"><skipped message="not yet"/></testcase>
  <testcase name="sometimes" classname="org.example.CartTest" time="0.1">
    <flakyFailure message="timed out" type="java.lang.AssertionError"><stackTrace>java.lang.AssertionError: timed out</stackTrace><system-out>first try</system-out></flakyFailure>
  </testcase>
</testsuite>`,
  tests: [
    ["org.example.CartTest", "org.example.CartTest", "adds", "passed"],
    ["org.example.CartTest", "org.example.CartTest", "removes", "failed"],
    ["org.example.CartTest", "org.example.CartTest", "later", "skipped"],
    ["org.example.CartTest", "org.example.CartTest", "sometimes", "flaky"],
  ],
  says: "expected: <3> but was: <4>",
};

const gradle: JunitSample = {
  tool: "Gradle",
  xml: `${head}<testsuite name="org.example.SyncTest" tests="2" skipped="0" failures="1" errors="0" timestamp="2026-11-22T10:00:00" hostname="runner" time="0.05">
  <properties/>
  <testcase name="syncs()" classname="org.example.SyncTest" time="0.04">
    <failure message="java.net.ConnectException: refused" type="java.net.ConnectException">java.net.ConnectException: refused
	at org.example.SyncTest.syncs(SyncTest.kt:40)
</failure>
  </testcase>
  <testcase name="waits()" classname="org.example.SyncTest" time="0.01"/>
  <system-out><![CDATA[]]></system-out>
  <system-err><![CDATA[]]></system-err>
</testsuite>`,
  tests: [
    ["org.example.SyncTest", "org.example.SyncTest", "syncs()", "failed"],
    ["org.example.SyncTest", "org.example.SyncTest", "waits()", "passed"],
  ],
  says: "refused",
};

const jest: JunitSample = {
  tool: "jest-junit",
  xml: `${head}<testsuites name="jest tests" tests="3" failures="1" errors="0" time="1.2">
  <testsuite name="cart" errors="0" failures="1" skipped="1" timestamp="2026-11-22T10:00:00" time="0.9" tests="3">
    <testcase classname="cart adds an item" name="cart adds an item" time="0.003" file="test/cart.test.ts"/>
    <testcase classname="cart removes an item" name="cart removes an item" time="0.004" file="test/cart.test.ts">
      <failure>Error: expect(received).toBe(expected)

Expected: 3
Received: 4
    at Object.toBe (/home/runner/work/app/app/test/cart.test.ts:17:19)
    at processTicksAndRejections (node:internal/process/task_queues:105:5)</failure>
    </testcase>
    <testcase classname="cart waits" name="cart waits" time="0"><skipped/></testcase>
  </testsuite>
</testsuites>`,
  tests: [
    ["cart", "cart adds an item", "cart adds an item", "passed"],
    ["cart", "cart removes an item", "cart removes an item", "failed"],
    ["cart", "cart waits", "cart waits", "skipped"],
  ],
  says: "Expected: 3",
};

const vitest: JunitSample = {
  tool: "Vitest",
  xml: `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="2" failures="1" errors="0" time="0.1">
    <testsuite name="test/list.test.ts" timestamp="2026-11-22T10:00:00.000Z" hostname="runner" tests="2" failures="1" errors="0" skipped="0" time="0.01">
        <testcase classname="test/list.test.ts" name="list &gt; sorts" time="0.002"></testcase>
        <testcase classname="test/list.test.ts" name="list &gt; filters" time="0.003">
            <failure message="expected [ 1 ] to deeply equal [ 2 ]" type="AssertionError">
AssertionError: expected [ 1 ] to deeply equal [ 2 ]
 ❯ test/list.test.ts:9:22
            </failure>
        </testcase>
    </testsuite>
</testsuites>`,
  tests: [
    ["test/list.test.ts", "test/list.test.ts", "list > sorts", "passed"],
    ["test/list.test.ts", "test/list.test.ts", "list > filters", "failed"],
  ],
  says: "expected [ 1 ] to deeply equal [ 2 ]",
};

const pytest: JunitSample = {
  tool: "pytest",
  xml: `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4" time="0.4" timestamp="2026-11-22T10:00:00.1" hostname="runner"><testcase classname="tests.test_cart.TestCart" name="test_add[1-2]" time="0.001" /><testcase classname="tests.test_cart" name="test_total" time="0.002"><properties><property name="owner" value="ada"/></properties><failure message="assert 3 == 4&#10; +  where 3 = total()">def test_total():
&gt;       assert total() == 4
E       assert 3 == 4

tests/test_cart.py:7: AssertionError</failure></testcase><testcase classname="tests.test_cart" name="test_slow" time="0.000"><skipped type="pytest.skip" message="slow">/app/tests/test_cart.py:9: slow</skipped></testcase><testcase classname="tests.test_cart" name="test_db" time="0.01"><error message="failed on setup with &quot;OSError: no&quot;">OSError: no</error></testcase></testsuite></testsuites>`,
  tests: [
    ["pytest", "tests.test_cart.TestCart", "test_add[1-2]", "passed"],
    ["pytest", "tests.test_cart", "test_total", "failed"],
    ["pytest", "tests.test_cart", "test_slow", "skipped"],
    ["pytest", "tests.test_cart", "test_db", "failed"],
  ],
  says: "where 3 = total()",
};

const go: JunitSample = {
  tool: "go-junit-report",
  xml: `${head}<testsuites tests="3" failures="1">
	<testsuite name="example.org/app/cart" tests="3" failures="1" errors="0" id="0" hostname="runner" skipped="1" time="0.012" timestamp="2026-11-22T10:00:00Z">
		<properties><property name="go.version" value="go1.25"></property></properties>
		<testcase name="TestAdd" classname="example.org/app/cart" time="0.000"></testcase>
		<testcase name="TestRemove/last_item" classname="example.org/app/cart" time="0.010">
			<failure message="Failed"><![CDATA[    cart_test.go:21: got 4, want 3]]></failure>
		</testcase>
		<testcase name="TestSlow" classname="example.org/app/cart" time="0.000"><skipped message="Skipped"><![CDATA[slow]]></skipped></testcase>
	</testsuite>
</testsuites>`,
  tests: [
    ["example.org/app/cart", "example.org/app/cart", "TestAdd", "passed"],
    ["example.org/app/cart", "example.org/app/cart", "TestRemove/last_item", "failed"],
    ["example.org/app/cart", "example.org/app/cart", "TestSlow", "skipped"],
  ],
  says: "got 4, want 3",
};

const phpunit: JunitSample = {
  tool: "PHPUnit",
  xml: `${head}<testsuites>
  <testsuite name="/app/phpunit.xml" tests="3" assertions="3" errors="0" failures="1" skipped="0" time="0.1">
    <testsuite name="Unit" tests="3" assertions="3" errors="0" failures="1" skipped="0" time="0.1">
      <testsuite name="Tests\\CartTest" file="/app/tests/CartTest.php" tests="3" failures="1">
        <testcase name="testAdd" file="/app/tests/CartTest.php" line="9" class="Tests\\CartTest" classname="Tests.CartTest" assertions="1" time="0.01"/>
        <testcase name="testTotal" file="/app/tests/CartTest.php" line="14" class="Tests\\CartTest" classname="Tests.CartTest" assertions="1" time="0.02">
          <failure type="PHPUnit\\Framework\\ExpectationFailedException">Tests\\CartTest::testTotal
Failed asserting that 3 matches expected 4.

/app/tests/CartTest.php:16</failure>
        </testcase>
        <testsuite name="Tests\\CartTest::testPrice" tests="1">
          <testcase name="testPrice with data set #0" file="/app/tests/CartTest.php" line="20" class="Tests\\CartTest" classname="Tests.CartTest" assertions="1" time="0.01"/>
        </testsuite>
      </testsuite>
    </testsuite>
  </testsuite>
</testsuites>`,
  tests: [
    ["Tests\\CartTest", "Tests.CartTest", "testAdd", "passed"],
    ["Tests\\CartTest", "Tests.CartTest", "testTotal", "failed"],
    ["Tests\\CartTest::testPrice", "Tests.CartTest", "testPrice with data set #0", "passed"],
  ],
  says: "Failed asserting that 3 matches expected 4.",
};

const nunit: JunitSample = {
  tool: "NUnit, converted",
  xml: `<testsuites tests="3" failures="1" disabled="1" time="0.2">
  <testsuite tests="3" time="0.2" failures="1" disabled="1" name="App.Tests.CartTests" timestamp="2026-11-22T10:00:00">
    <testcase name="Adds" assertions="1" time="0.01" status="Passed" classname="App.Tests.CartTests"/>
    <testcase name="Totals(2,3)" assertions="1" time="0.02" status="Failed" classname="App.Tests.CartTests">
      <failure message="  Expected: 5&#xD;&#xA;  But was:  6&#xD;&#xA;">   at App.Tests.CartTests.Totals(Int32 a, Int32 b) in C:\\work\\app\\CartTests.cs:line 14</failure>
    </testcase>
    <testcase name="Later" status="Skipped" classname="App.Tests.CartTests"/>
  </testsuite>
</testsuites>`,
  tests: [
    ["App.Tests.CartTests", "App.Tests.CartTests", "Adds", "passed"],
    ["App.Tests.CartTests", "App.Tests.CartTests", "Totals(2,3)", "failed"],
    ["App.Tests.CartTests", "App.Tests.CartTests", "Later", "skipped"],
  ],
  says: "But was:  6",
};

const playwright: JunitSample = {
  tool: "Playwright",
  xml: `<testsuites id="" name="" tests="2" failures="1" skipped="0" errors="0" time="3.1">
<testsuite name="login.spec.ts" timestamp="2026-11-22T10:00:00.000Z" hostname="chromium" tests="2" failures="1" skipped="0" time="2.9" errors="0">
<testcase name="login › shows an error" classname="login.spec.ts" time="2.1">
<failure message="login.spec.ts:5:3 shows an error" type="FAILURE">
<![CDATA[  [chromium] › login.spec.ts:5:3 › login › shows an error ─────────────

    Error: expect(locator).toBeVisible() failed

    Locator: getByText('Wrong password')

       6 |   await page.goto("/");
    >  7 |   await expect(page.getByText("Wrong password")).toBeVisible();
        at /home/runner/work/app/app/e2e/login.spec.ts:7:50
]]>
</failure>
<system-out>
<![CDATA[
[[ATTACHMENT|test-results/login-chromium/test-failed-1.png]]

[[ATTACHMENT|test-results/login-chromium/trace.zip]]
]]>
</system-out>
</testcase>
<testcase name="login › signs in" classname="login.spec.ts" time="0.8">
</testcase>
</testsuite>
</testsuites>`,
  tests: [
    ["login.spec.ts", "login.spec.ts", "login › shows an error", "failed"],
    ["login.spec.ts", "login.spec.ts", "login › signs in", "passed"],
  ],
  says: "Locator: getByText('Wrong password')",
};

const mocha: JunitSample = {
  tool: "mocha-junit-reporter",
  xml: `${head}<testsuites name="Mocha Tests" time="0.0100" tests="2" failures="1">
  <testsuite name="Root Suite" timestamp="2026-11-22T10:00:00" tests="0" time="0.0000" failures="0">
  </testsuite>
  <testsuite name="Cart" timestamp="2026-11-22T10:00:00" tests="2" file="/home/runner/work/app/app/test/cart.js" time="0.0100" failures="1">
    <testcase name="Cart adds" time="0.0010" classname="adds">
    </testcase>
    <testcase name="Cart totals" time="0.0030" classname="totals">
      <failure message="expected 3 to equal 4" type="AssertionError"><![CDATA[AssertionError: expected 3 to equal 4
    at Context.<anonymous> (test/cart.js:11:20)

      + expected - actual
]]></failure>
    </testcase>
  </testsuite>
</testsuites>`,
  tests: [
    ["Cart", "adds", "Cart adds", "passed"],
    ["Cart", "totals", "Cart totals", "failed"],
  ],
  says: "expected 3 to equal 4",
};

const nextest: JunitSample = {
  tool: "cargo-nextest",
  xml: `${head}<testsuites name="nextest-run" tests="3" failures="1" errors="0" uuid="6b1f1a34-91d6-4a3e-9d52-5d8b2f2f9c11" timestamp="2026-11-22T10:00:00.000+00:00" time="0.021">
    <testsuite name="cart::total" tests="3" disabled="0" errors="0" failures="1">
        <testcase name="adds" classname="cart::total" timestamp="2026-11-22T10:00:00.001+00:00" time="0.004">
        </testcase>
        <testcase name="totals" classname="cart::total" timestamp="2026-11-22T10:00:00.002+00:00" time="0.004">
            <failure message="thread &apos;totals&apos; (4711) panicked at tests/total.rs:9:5" type="test failure with exit code 101">thread &apos;totals&apos; (4711) panicked at tests/total.rs:9:5:
assertion \`left == right\` failed
  left: 3
 right: 4</failure>
            <rerunFailure timestamp="2026-11-22T10:00:00.010+00:00" time="0.004" type="test failure with exit code 101">again<system-out>running 1 test</system-out></rerunFailure>
            <system-out>running 1 test</system-out>
        </testcase>
        <testcase name="sometimes" classname="cart::total" time="0.004">
            <flakyFailure timestamp="2026-11-22T10:00:00.000+00:00" time="0.004" type="test failure">thread panicked<system-err>x</system-err></flakyFailure>
        </testcase>
    </testsuite>
</testsuites>`,
  tests: [
    ["cart::total", "cart::total", "adds", "passed"],
    ["cart::total", "cart::total", "totals", "failed"],
    ["cart::total", "cart::total", "sometimes", "flaky"],
  ],
  says: "assertion `left == right` failed",
};

const node: JunitSample = {
  tool: "the test runner of Node",
  xml: `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testsuite name="cart" time="0.006" disabled="0" errors="0" tests="3" failures="2" skipped="1" hostname="runner">
		<testcase name="adds" time="0.004" classname="test"/>
		<testcase name="totals" time="0.001" classname="test" failure="3 == 4">
			<failure type="testCodeFailure" message="3 == 4">
Error [ERR_TEST_FAILURE]: 3 == 4
  cause: AssertionError [ERR_ASSERTION]: 3 == 4
      at TestContext.&lt;anonymous> (file:///app/a.test.mjs:2:70)
			</failure>
		</testcase>
		<testcase name="one day" time="0.001" classname="test" failure="x">
			<skipped type="todo" message="true"/>
			<failure type="testCodeFailure" message="x">x</failure>
		</testcase>
	</testsuite>
	<testcase name="top" time="0.001" classname="test"/>
</testsuites>`,
  tests: [
    ["cart", "test", "adds", "passed"],
    ["cart", "test", "totals", "failed"],
    ["cart", "test", "one day", "skipped"],
    ["", "test", "top", "passed"],
  ],
  says: "3 == 4",
};

/** One report for each tool that CI jobs commonly use, in the style of that tool. */
export const junitSamples: readonly JunitSample[] = [
  ...[surefire, gradle, jest, vitest, pytest, go, phpunit, nunit, playwright, mocha, nextest, node],
];

export interface MadeTest {
  readonly name: string;
  readonly suite?: string;
  /** The text of its failure. Without one, the test passes. */
  readonly failure?: string;
  /** Other elements inside of it. */
  readonly inside?: string;
  readonly file?: string;
}

/** A report with these tests. */
export const junitReport = (...tests: readonly MadeTest[]): string =>
  `${head}<testsuites>${tests
    .map(({ name, suite = "cart", failure, inside = "", file }) => {
      const failed =
        failure === undefined ? "" : `<failure message="${xml(failure)}">${xml(failure)}\n</failure>`;
      const place = file === undefined ? "" : ` file="${xml(file)}"`;
      return `<testsuite name="${suite}"><testcase classname="${suite}" name="${xml(name)}"${place}>${failed}${inside}</testcase></testsuite>`;
    })
    .join("\n")}</testsuites>`;

const xml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
