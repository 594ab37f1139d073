import { consoleFaqs } from "../../../src/contract/console-faqs.ts";
import type { ListedFaq } from "../../../src/contract/faqs.ts";
import { Can } from "../../console/can.tsx";
import { Empty } from "../../console/empty.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { type AppNavigation, appNavigationOf } from "../../console/navigation.ts";
import { type Reply, show } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { FaqList, type FaqListProps, FaqSearch } from "./faq-list.tsx";

/** The FAQ of an app, in the order in which its users read it. */
export async function faqsPage(visit: SignedInVisit): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "faqs");
  const query = visit.query("q").trim();
  const [faqs, changes] = await Promise.all([
    visit.ask(consoleFaqs.list, { params: { appId: navigation.app.id } }),
    visit.reads.faqAuthors(navigation.app.id),
  ]);
  return show(<Faqs {...{ navigation, faqs, changes, query }} now={visit.now} />);
}

interface FaqsProps {
  readonly navigation: AppNavigation;
  readonly faqs: readonly ListedFaq[];
  readonly changes: FaqListProps["changes"];
  /** The search words; empty for the whole list. */
  readonly query: string;
  readonly now: Date;
}

const Faqs = (props: FaqsProps) => {
  const { navigation, faqs, query } = props;
  const { links, app } = navigation;
  return (
    <ConsolePage navigation={navigation} title="FAQ" narrow>
      <div class="head">
        <div>
          <h1>FAQ</h1>
          <p>Your app reads these entries over the API, in this order.</p>
        </div>
        <Can needs="maintainer">
          <a class="button primary" href={links.faqs(app.id, "new")}>
            New entry
          </a>
        </Can>
      </div>
      {faqs.length === 0 ? (
        <Empty title="No questions yet">
          <p>Answer frequent questions here. Your app shows the answers at once.</p>
        </Empty>
      ) : (
        <>
          {(faqs.length > 10 || query !== "") && <FaqSearch {...props} />}
          <FaqList {...props} />
        </>
      )}
    </ConsolePage>
  );
};
